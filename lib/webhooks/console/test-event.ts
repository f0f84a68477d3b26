// "Send a test event": one made-up event of each type, to try an endpoint. Its body has `"test": true` beside the
// documented fields, and names objects that cannot exist. It is delivered, signed and stored like any other. The API's
// list of events excludes it, because nothing happened.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newEventId, randomText } from '@/lib/platform/ids';
import type { Endpoint } from '@/lib/webhooks/delivery/lease';
import {
  isOptional,
  isPayoutEvent,
  optionalEventBody,
  PAYMENT_EVENTS,
  paymentEventBody,
  payoutEventBody,
  refundEventBody,
  type ContractEventType,
  type EventType,
  type OptionalPaymentEventType,
  type PaymentEventType,
  type PayoutEventType,
  type RefundEventType,
} from '@/lib/webhooks/events/events';
import { DELIVERIES_CHANNEL } from '@/lib/webhooks/events/record';

const PER_MINUTE = 30;
const NO_TRANSACTION = `0x${'0'.repeat(64)}`;
const NO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Creates the event and its delivery. Null when the store has no endpoint there. Throws RATE_LIMITED. */
export async function sendTestEvent(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, environment, type }: Endpoint & { readonly type: EventType },
): Promise<{ eventId: string; deliveryId: string } | null> {
  const now = clock.now();
  return transaction(pool, async (tx) => {
    const endpoint = await tx.query(
      'SELECT 1 FROM webhook_endpoints WHERE store_id = $1 AND environment = $2 FOR UPDATE',
      [storeId, environment],
    );
    if (endpoint.rowCount !== 1) return null;
    const recent = await tx.query(
      `SELECT count(*)::int AS n FROM deliveries d JOIN events e ON e.id = d.event_id
       WHERE d.store_id = $1 AND d.environment = $2 AND d.created_at > now() - interval '1 minute' AND e.is_test`,
      [storeId, environment],
    );
    if (recent.rows[0].n >= PER_MINUTE) {
      throw new ServiceError('RATE_LIMITED', {
        message: `At most ${PER_MINUTE} test events a minute.`,
        retryAfter: 60,
      });
    }
    const eventId = newEventId(now);
    // No session id can contain `TESTEVENT`. Two tests never share a name, as no two sessions do.
    const sessionId = `cs_${environment}_TESTEVENT${randomText()}`;
    const body = bodyOf(type, sessionId, { id: eventId, now });
    const { rows } = await tx.query<{ id: string }>(
      `WITH event AS (
         INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, is_test)
         VALUES ($1, $2, $3, $4, $5, $6, $7, true) RETURNING id),
       delivery AS (
         INSERT INTO deliveries (event_id, store_id, environment, next_at, created_at)
         SELECT id, $2, $3, now(), now() FROM event RETURNING id)
       SELECT id, pg_notify('${DELIVERIES_CHANNEL}', '') FROM delivery`,
      [eventId, storeId, environment, type, sessionId, body, now],
    );
    return { eventId, deliveryId: (rows[0] as { id: string }).id };
  });
}

const isPaymentEvent = (type: ContractEventType): type is PaymentEventType => Object.hasOwn(PAYMENT_EVENTS, type);

function bodyOf(type: EventType, sessionId: string, of: { id: string; now: Date }): string {
  if (isPayoutEvent(type)) return payoutBody(type, of);
  if (isOptional(type)) return optionalBody(type, sessionId, of);
  return isPaymentEvent(type) ? paymentBody(type, sessionId, of) : refundBody(type, sessionId, of);
}

function paymentBody(type: PaymentEventType, sessionId: string, of: { id: string; now: Date }): string {
  const isPaid = type === 'payment.completed';
  return paymentEventBody(
    type,
    {
      sessionId,
      orderId: 'TEST-ORDER',
      amountDue: 1250n,
      currency: 'USDT',
      exchangeRate: null,
      network: isPaid ? 'ethereum' : null,
      transactionHash: isPaid ? NO_TRANSACTION : null,
      amountReceived: isPaid ? 1250n : 0n,
    },
    { ...of, isTest: true },
  );
}

function refundBody(type: RefundEventType, sessionId: string, of: { id: string; now: Date }): string {
  const isPaid = type === 'refund.succeeded';
  return refundEventBody(
    type,
    {
      sessionId,
      orderId: 'TEST-ORDER',
      refundId: 'TEST-REFUND',
      amount: 500n,
      currency: 'USDT',
      network: 'ethereum',
      transactionHash: isPaid ? NO_TRANSACTION : null,
      failureReason: isPaid ? null : 'A test: nothing was sent.',
    },
    { ...of, isTest: true },
  );
}

function payoutBody(type: PayoutEventType, of: { id: string; now: Date }): string {
  const isPaid = type === 'payout.paid';
  return payoutEventBody(
    type,
    {
      payoutId: 'TEST-PAYOUT',
      amount: 10_000n,
      currency: 'USDT',
      network: 'ethereum',
      description: null,
      destination: isPaid ? NO_ADDRESS : null,
      transactionHash: isPaid ? NO_TRANSACTION : null,
      failureReason: isPaid ? null : 'A test: nothing was sent.',
    },
    { ...of, isTest: true },
  );
}

function optionalBody(type: OptionalPaymentEventType, sessionId: string, of: { id: string; now: Date }): string {
  const isSeen = type === 'payment.seen';
  const isException = type === 'payment.exception';
  return optionalEventBody(
    type,
    {
      sessionId,
      orderId: 'TEST-ORDER',
      status: isException ? 'completed' : 'pending',
      amountDue: 1250n,
      currency: 'USDT',
      exchangeRate: null,
      network: 'ethereum',
      transactionHash: NO_TRANSACTION,
      amountReceived: isException ? 1500n : isSeen ? 0n : 500n,
      paymentAmount: isException ? 1500n : 500n,
      exception: isException ? { id: 'TEST-EXCEPTION', kind: 'over', amount: 250n } : null,
    },
    { ...of, isTest: true },
  );
}
