// The webhooks as the OpenAPI document tells of them: a schema per event type, from the table that the events are made by, and
// the headers of a delivery.

import { z } from 'zod';
import {
  PAYMENT_EVENTS,
  REFUND_EVENTS,
  type EventType,
  type PaymentEventType,
  type RefundEventType,
} from '@/lib/webhooks/events';

export const PAYMENT_TYPES = Object.keys(PAYMENT_EVENTS) as PaymentEventType[];
export const REFUND_TYPES = Object.keys(REFUND_EVENTS) as RefundEventType[];
export const EVENT_TYPES: readonly EventType[] = [...PAYMENT_TYPES, ...REFUND_TYPES];
export const isPaymentType = (type: EventType): type is PaymentEventType => type in PAYMENT_EVENTS;

/** `payment.completed` as the name of its schema: PaymentCompletedEvent. */
export const eventSchemaName = (type: EventType): string =>
  `${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The body of one type of event. */
export const eventSchema = (type: EventType): z.ZodType =>
  z.object({
    id: z.string().regex(/^evt_\d+$/),
    type: z.literal(type),
    created_at: z.int(),
    data: z.object({ object: isPaymentType(type) ? payment(type) : refund(type) }),
  });

const cents = z.int().min(0);
const token = z.enum(['USDT', 'USDC']);

function payment(type: PaymentEventType): z.ZodObject {
  return z.object({
    amount: cents,
    currency: token,
    status: z.literal(PAYMENT_EVENTS[type].status),
    exchange_rate: z.string().regex(/^\d+(\.\d+)?$/),
    order_id: z.string(),
    session_id: z.string(),
    source: z.literal('api'),
    network: z.string().optional(),
    transaction_hash: z.string().optional(),
    amount_received: cents,
  });
}

const refund = (type: RefundEventType): z.ZodObject =>
  z.object({
    session_id: z.string(),
    order_id: z.string(),
    refund_id: z.string(),
    refund_amount: z.int().min(1),
    refund_currency: token,
    status: z.literal(REFUND_EVENTS[type].status),
    source: z.literal('api'),
    network: z.string(),
    ...(type === 'refund.succeeded' ? { transaction_hash: z.string() } : { failure_reason: z.string() }),
  });

/** Headers of a delivery by name; the words are under `headers` of the reference's texts. */
export const DELIVERY_HEADERS: Readonly<Record<string, { readonly schema: z.ZodType; readonly required: boolean }>> = {
  'X-Service-Signature': { schema: z.string().regex(/^[0-9a-f]{64}$/), required: true },
  'X-Service-Signature-Previous': { schema: z.string().regex(/^[0-9a-f]{64}$/), required: false },
  'X-Service-Timestamp': { schema: z.string().regex(/^\d{10}$/), required: true },
  'X-Service-Nonce': { schema: z.string(), required: true },
  'X-Service-Event-Type': { schema: z.enum(EVENT_TYPES), required: true },
  'X-Service-Event-ID': { schema: z.string(), required: true },
};
