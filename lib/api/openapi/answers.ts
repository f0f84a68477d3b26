// The schemas of the API's response bodies. Plain functions build the bodies; a test checks the responses of the running handlers
// against these schemas, so that the two cannot diverge.

import { z } from 'zod';
import { DECIDERS, EXCEPTION_KINDS } from '@/lib/api/operations/exception-view';
import { EXCEPTION_ACTIONS, EXCEPTION_STATES } from '@/lib/payments/exceptions/states';
import { ERROR_CODES, type ErrorCode } from '@/lib/platform/errors/errors';
import { HOLD_CODES, type HoldCode } from '@/lib/refunds/holds';
import { REASONS } from '@/lib/refunds/request/schema';
import { VERDICTS } from '@/lib/payments/finder/verdict';
import { PAYMENT_STATES } from '@/lib/payments/sessions/money';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { eventSchemaName } from './events';

const minorUnits = z.int().min(0);
const seconds = z.int().min(0);
const sessionId = z.string().regex(/^cs_(live|test)_[0-9A-Za-z]{16,64}$/);
const stablecoin = z.enum(['USDT', 'USDC']);
const STATUSES = ['PENDING', 'COMPLETED', 'EXPIRED', 'FAILED'] as const;
/** Decimal text with two digits, as in the finder's amounts. */
const decimal = z.string().regex(/^\d+\.\d{2}$/);

const price = {
  id: sessionId,
  amount_total: minorUnits,
  currency: z.string().regex(/^[A-Z]{3,4}$/),
  payment_status: z.enum(['unpaid', 'paid']),
  status: z.enum(STATUSES),
  created: seconds,
  expires_at: seconds,
  url: z.string(),
  tax_amount: minorUnits.optional(),
  shipping_amount: minorUnits.optional(),
  exchange_rate: z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .optional(),
  target_currency: stablecoin.optional(),
  target_amount_total: minorUnits.optional(),
  rate_locked_at: seconds.optional(),
};

const lineItem = z.looseObject({
  price_data: z.looseObject({
    currency: z.string(),
    unit_amount: minorUnits,
    product_data: z.looseObject({ name: z.string(), description: z.string().nullish() }),
  }),
  quantity: z.int().min(1).nullish(),
});

export const paymentSession = z.object({
  ...price,
  canceled_at: seconds.optional(),
  line_items: z.array(lineItem).optional(),
  metadata: z.record(z.string(), z.string()),
});
export const canceledSession = z.object(price);
/** The session as reading and listing return it. */
export const readSession = z.object({
  ...paymentSession.shape,
  amount_received: minorUnits,
  amount_refundable: minorUnits,
  refunded_amount: minorUnits,
  payments: z.array(
    z.object({
      network: z.string(),
      currency: stablecoin,
      amount: minorUnits,
      sender: z.string(),
      transaction_hash: z.string(),
      block_time: seconds,
      state: z.enum(PAYMENT_STATES),
      exception_id: z.string().optional(),
    }),
  ),
});

export const quickStartSession = z.object({
  base: z.object({ code: z.literal(0), message: z.literal('success') }),
  session: z.object({
    session_id: sessionId,
    order_id: z.string(),
    payment_status: price.payment_status,
    created: seconds,
    status: price.status,
    url: z.string(),
    created_at: seconds,
    expires_at: seconds,
  }),
});

/** Null when there are no more pages at the moment. */
const nextCursor = z.string().nullable();
export const sessionList = z.object({
  data: z.array(z.unknown().meta({ $ref: '#/components/schemas/ReadSession' })),
  next_cursor: nextCursor,
});
export const eventList = z.object({
  data: z.array(
    z.unknown().meta({ anyOf: EVENT_TYPES.map((type) => ({ $ref: `#/components/schemas/${eventSchemaName(type)}` })) }),
  ),
  next_cursor: nextCursor,
  resume_cursor: z.string().optional(),
});

export const listenResponse = z.object({
  data: z.array(z.object({ event_id: z.string(), event_type: z.enum(EVENT_TYPES), body: z.string() })),
  resume_cursor: z.string(),
});

const REFUND_STATUSES = ['pending', 'processing', 'completed', 'failed', 'canceled'] as const;
const holdCode = z.enum(HOLD_CODES as [HoldCode, ...HoldCode[]]);
const refundId = z.string().min(1);
const requestedRefund = {
  refund_id: refundId,
  session_id: sessionId,
  order_id: z.string(),
  amount: minorUnits,
  currency: stablecoin,
  status: z.enum(REFUND_STATUSES),
  reason: z.enum(REASONS).optional(),
  description: z.string().optional(),
  created_at: seconds,
  metadata: z.record(z.string(), z.unknown()).optional(),
};
/** Exactly the fields that the specification lists for the response to a create request. */
export const createdRefund = z.strictObject(requestedRefund);
export const refund = z.object({
  ...requestedRefund,
  failure_reason: z.string().nullable().optional(),
  transaction_hash: z.string().optional(),
  receipt_number: z
    .string()
    .regex(/^rcp_[0-9A-Za-z]+$/)
    .optional(),
  receipt_url: z.string().optional(),
  processed_at: seconds.optional(),
  network_cost: z.int().min(0).optional(),
  network: z.string(),
  destination: z.string().optional(),
  hold: z
    .object({
      reason: holdCode,
      message: z.string(),
      until: seconds.optional(),
      claim_url: z.string().optional(),
    })
    .optional(),
});
export const canceledRefund = z.object({ refund_id: refundId, status: z.literal('canceled'), canceled_at: seconds });
export const refundList = z.object({
  data: z.array(z.unknown().meta({ $ref: '#/components/schemas/Refund' })),
  next_cursor: nextCursor,
});

export const payout = z.object({
  payout_id: z.string().min(1),
  amount: minorUnits,
  fee: minorUnits,
  network_cost: minorUnits,
  currency: stablecoin,
  network: z.string(),
  status: z.enum(REFUND_STATUSES),
  description: z.string().optional(),
  created_at: seconds,
  destination: z.string().optional(),
  transaction_hash: z.string().optional(),
  failure_reason: z.string().optional(),
  processed_at: seconds.optional(),
  hold: z.object({ reason: holdCode, message: z.string(), until: seconds.optional() }).optional(),
});
export const canceledPayout = z.object({
  payout_id: z.string().min(1),
  status: z.literal('canceled'),
  canceled_at: seconds,
});
export const payoutList = z.object({
  data: z.array(z.unknown().meta({ $ref: '#/components/schemas/Payout' })),
  next_cursor: nextCursor,
});

export const paymentException = z.object({
  id: z.string(),
  session_id: sessionId,
  order_id: z.string(),
  kind: z.enum(EXCEPTION_KINDS),
  state: z.enum(EXCEPTION_STATES),
  actions: z.array(z.enum(EXCEPTION_ACTIONS)),
  network: z.string(),
  currency: stablecoin,
  amount: minorUnits,
  payment_amount: minorUnits,
  sender: z.string(),
  transaction_hash: z.string(),
  block_time: seconds,
  created_at: seconds,
  decided_at: seconds.optional(),
  decided_by: z.enum(DECIDERS).optional(),
  note: z.string().optional(),
});
export const paymentExceptionList = z.object({
  data: z.array(z.unknown().meta({ $ref: '#/components/schemas/PaymentException' })),
  next_cursor: nextCursor,
});

export const foundPayment = z.object({
  session_id: sessionId,
  transaction_hash: z.string().optional(),
  verdict: z.enum(VERDICTS),
  message: z.string(),
  network: z.string().optional(),
  currency: stablecoin.optional(),
  amount: decimal.optional(),
  short_by: decimal.optional(),
  confirmations: z.int().min(0).optional(),
  blocks_missing: z.int().min(0).optional(),
  decision: z.string().optional(),
  networks_asked: z.array(z.string()).optional(),
  networks_unanswered: z.array(z.string()).optional(),
});

export const testPayment = z.object({ transaction_hash: z.string(), network: z.string() });
export const testExpiry = z.object({ id: sessionId, expires_at: seconds });
export const agedSession = z.object({ id: sessionId, created: seconds, paid_at: seconds });
export const testFailure = z.object({ refund_id: refundId });
export const minedBlocks = z.object({ blocks: z.int(), tip: z.int() });
export const replacedBlocks = z.object({ depth: z.int() });

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

export const errorEnvelope = z.object({
  base: z.object({ code: z.int(), message: z.string() }).optional(),
  error: z.object({
    type: z.enum(['invalid_request_error', 'api_error']),
    code: z.enum(codes),
    message: z.string(),
    param: z.string().optional(),
    doc_url: z.string(),
  }),
  request_id: z.string(),
  timestamp: seconds,
});
