// The webhooks in the OpenAPI document: a schema per event type, from the table that the events are made with, and the headers of
// a delivery.

import { z } from 'zod';
import { EXCEPTION_KINDS } from '@/lib/api/operations/exception-view';
import {
  EVENT_TYPES,
  isOptional,
  isPayoutEvent,
  PAYMENT_EVENTS,
  PAYOUT_EVENTS,
  REFUND_EVENTS,
  type EventType,
  type OptionalPaymentEventType,
  type PaymentEventType,
  type PayoutEventType,
  type RefundEventType,
} from '@/lib/webhooks/events/events';

const isRefund = (type: EventType): type is RefundEventType => type in REFUND_EVENTS;

/** The schema name for `payment.completed`: PaymentCompletedEvent. */
export const eventSchemaName = (type: EventType): string =>
  `${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The body of one type of event. */
export const eventSchema = (type: EventType): z.ZodType =>
  z.object({
    id: z.string().regex(/^evt_\d+$/),
    type: z.literal(type),
    created_at: z.int(),
    data: z.object({ object: subject(type) }),
  });

function subject(type: EventType): z.ZodObject {
  if (isPayoutEvent(type)) return payout(type);
  if (isOptional(type)) return optional(type);
  return isRefund(type) ? refund(type) : payment(type);
}

/** The key of an event's descriptions: all events of a kind share them. */
export function eventTexts(type: EventType): 'Event' | 'OptionalEvent' | 'PayoutEvent' | 'RefundEvent' {
  if (isPayoutEvent(type)) return 'PayoutEvent';
  if (isOptional(type)) return 'OptionalEvent';
  return isRefund(type) ? 'RefundEvent' : 'Event';
}

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

/** The fields of the other payment events, and those of the payment that they report. */
const optional = (type: OptionalPaymentEventType): z.ZodObject =>
  z.object({
    amount: cents,
    currency: token,
    status: z.enum(['pending', 'completed', 'expired', 'canceled', 'failed']),
    exchange_rate: z.string().regex(/^\d+(\.\d+)?$/),
    order_id: z.string(),
    session_id: z.string(),
    source: z.literal('api'),
    network: z.string(),
    transaction_hash: z.string(),
    amount_received: cents,
    payment_amount: cents,
    ...(type === 'payment.exception'
      ? { exception_id: z.string(), exception_kind: z.enum(EXCEPTION_KINDS), exception_amount: cents }
      : {}),
  });

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

const payout = (type: PayoutEventType): z.ZodObject =>
  z.object({
    payout_id: z.string(),
    amount: z.int().min(1),
    currency: token,
    network: z.string(),
    status: z.literal(PAYOUT_EVENTS[type].status),
    description: z.string().optional(),
    ...(type === 'payout.paid'
      ? { destination: z.string(), transaction_hash: z.string() }
      : { destination: z.string().optional(), failure_reason: z.string() }),
  });

/** The headers of a delivery by name. Their descriptions are under `headers` in the reference's texts. */
export const DELIVERY_HEADERS: Readonly<Record<string, { readonly schema: z.ZodType; readonly required: boolean }>> = {
  'X-Service-Signature': { schema: z.string().regex(/^[0-9a-f]{64}$/), required: true },
  'X-Service-Signature-Previous': { schema: z.string().regex(/^[0-9a-f]{64}$/), required: false },
  'X-Service-Timestamp': { schema: z.string().regex(/^\d{10}$/), required: true },
  'X-Service-Nonce': { schema: z.string(), required: true },
  'X-Service-Event-Type': { schema: z.enum(EVENT_TYPES), required: true },
  'X-Service-Event-ID': { schema: z.string(), required: true },
};
