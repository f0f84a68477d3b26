// Records an event, and its delivery when the store has an endpoint, in the transaction that made it true. One
// statement. Its notification wakes a listening worker when that transaction commits.

import { noteChange } from '@/lib/platform/database/changes';
import type { Tx } from '@/lib/platform/database/db';
import { newEventId, type Environment } from '@/lib/platform/ids';
import {
  optionalEventBody,
  paymentEventBody,
  payoutEventBody,
  refundEventBody,
  type EventType,
  type OptionalFacts,
  type OptionalPaymentEventType,
  type PaymentEventType,
  type PaymentFacts,
  type PayoutEventType,
  type PayoutFacts,
  type RefundEventType,
  type RefundFacts,
} from './events';

/** The channel on which the database announces a due delivery. */
export const DELIVERIES_CHANNEL = 'deliveries';

export type RecordedPayment = PaymentFacts & {
  readonly storeId: string;
  readonly environment: Environment;
  readonly type: PaymentEventType;
  readonly now: Date;
};

/** `intentId`: the refund's own id (Refund.id), which no other store can have. */
export type RecordedRefund = RefundFacts & {
  readonly intentId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly type: RefundEventType;
  readonly now: Date;
};

/** `intentId`: the payout's own id (Payout.id). */
export type RecordedPayout = PayoutFacts & {
  readonly intentId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly type: PayoutEventType;
  readonly now: Date;
};

/** `cause`: what the event is about within its session. Each cause has one event per type. */
export type RecordedOptional = OptionalFacts & {
  readonly storeId: string;
  readonly environment: Environment;
  readonly type: OptionalPaymentEventType;
  readonly cause: string;
  readonly now: Date;
};

/** Two processes can draw the same event id (lib/platform/ids). More repeats than this are not a coincidence. */
const DRAWS = 5;

const RECORD = {
  name: 'record-event',
  text: `WITH event AS (
           INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, cause)
           VALUES ($1, $2, $3::"Environment", $4, $5, $6, $7, $8)
           ON CONFLICT (id) DO NOTHING RETURNING id, store_id, environment),
         delivery AS (
           INSERT INTO deliveries (event_id, store_id, environment, next_at, created_at)
           SELECT event.id, event.store_id, event.environment, now(), now() FROM event
           JOIN webhook_endpoints e ON e.store_id = event.store_id AND e.environment = event.environment RETURNING 1)
         SELECT (SELECT pg_notify('${DELIVERIES_CHANNEL}', '') FROM delivery), o.session, o.order_id, o.request_id, o.traceparent
         FROM event LEFT JOIN LATERAL (
           SELECT id AS session, order_id, request_id, traceparent FROM sessions WHERE id = $5
           UNION ALL SELECT session_id, order_id, request_id, traceparent FROM refunds WHERE id = $5) AS o ON true`,
};
/** Of the session or refund that the event is about; null for a payout. */
type RecordedRow = {
  readonly session: string | null;
  readonly order_id: string | null;
  readonly request_id: string | null;
  readonly traceparent: string | null;
};

/**
 * Records one payment event. A second one of the same type for the same session is a fault and rolls everything back.
 */
export const recordPaymentEvent = (tx: Tx, payment: RecordedPayment): Promise<void> =>
  record(tx, { ...payment, objectId: payment.sessionId }, (at) => paymentEventBody(payment.type, payment, at));

/** Records one refund event. A second one of the same type for the same refund is a fault and rolls everything back. */
export const recordRefundEvent = (tx: Tx, refund: RecordedRefund): Promise<void> =>
  record(tx, { ...refund, objectId: refund.intentId }, (at) => refundEventBody(refund.type, refund, at));

/** Records one payout event. A second one of the same type for the same payout is a fault and rolls everything back. */
export const recordPayoutEvent = (tx: Tx, payout: RecordedPayout): Promise<void> =>
  record(tx, { ...payout, objectId: payout.intentId }, (at) => payoutEventBody(payout.type, payout, at));

/** Records one optional payment event, once for its cause: a second call is a no-op. */
export async function recordOptionalEvent(tx: Tx, event: RecordedOptional): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'optional-event-recorded',
    text: 'SELECT FROM events WHERE object_id = $1 AND type = $2 AND cause = $3',
    values: [event.sessionId, event.type, event.cause],
  });
  if (rowCount !== 0) return;
  await record(tx, { ...event, objectId: event.sessionId }, (at) => optionalEventBody(event.type, event, at));
}

type Recorded = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly type: EventType;
  readonly objectId: string;
  readonly cause?: string;
  readonly now: Date;
};

async function record(
  tx: Tx,
  { storeId, environment, type, objectId, cause = '', now }: Recorded,
  bodyOf: (at: { id: string; now: Date }) => string,
): Promise<void> {
  for (let draw = 1; draw <= DRAWS; draw++) {
    const id = newEventId(now);
    const values = [id, storeId, environment, type, objectId, bodyOf({ id, now }), now, cause];
    const { rows } = await tx.query<RecordedRow>({ ...RECORD, values });
    const [recorded] = rows;
    if (!recorded) continue;
    const { session, ...names } = recorded;
    const about = session === objectId ? {} : { [type.startsWith('payout') ? 'payout' : 'refund']: objectId };
    noteChange(tx, {
      of: 'event',
      to: 'recorded',
      event: id,
      type,
      store: storeId,
      session,
      ...names,
      ...about,
    });
    return;
  }
  throw new Error(`no event id was free in ${DRAWS} draws`);
}
