// The events and their bodies, one row per type (spec: Events; decisions: Webhooks). Pure: id and time arrive as arguments.
// A body is the exact text that is stored, signed and sent.

import { unixSeconds } from '@/lib/clock';

export const PAYMENT_EVENTS = {
  'payment.completed': { status: 'completed' },
  'payment.failed': { status: 'failed' },
  'payment.expired': { status: 'expired' },
  // Two l in the type, one in the status: the contract has it so.
  'payment.cancelled': { status: 'canceled' },
} as const;

export type PaymentEventType = keyof typeof PAYMENT_EVENTS;

/** What a payment event tells of. */
export type PaymentFacts = {
  readonly sessionId: string;
  readonly orderId: string;
  /** Cents of the token asked for. */
  readonly amountDue: bigint;
  /** The token paid with; null when nothing completed the session. */
  readonly currency: string | null;
  /** Exact decimal text; null when nothing completed the session. */
  readonly exchangeRate: string | null;
  readonly network: string | null;
  /** Of the transfer that completed the session. */
  readonly transactionHash: string | null;
  /** Cents. */
  readonly amountReceived: bigint;
};

/** The body of a payment event. Fields without a value are left out (decisions: Payment sessions, optional fields). */
export function paymentEventBody(type: PaymentEventType, facts: PaymentFacts, { id, now }: { id: string; now: Date }): string {
  const paid =
    facts.currency === null
      ? {}
      : {
          amount: Number(facts.amountDue), currency: facts.currency, exchange_rate: facts.exchangeRate ?? '1',
          network: facts.network, transaction_hash: facts.transactionHash,
        };
  return JSON.stringify({
    id,
    type,
    created_at: unixSeconds(now),
    data: {
      object: {
        ...paid,
        amount_received: Number(facts.amountReceived),
        status: PAYMENT_EVENTS[type].status,
        order_id: facts.orderId,
        session_id: facts.sessionId,
        source: 'api',
      },
    },
  });
}
