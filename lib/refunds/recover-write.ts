// Writes what the journal knows of one refund into a database that forgot it: the refund, when it has gone too, with everything
// that creating it took; and its attempts as drafts, which the signer is asked for as soon as it signs again. It answers with
// the bytes that it signed then, so that what was paid is followed to its end and nothing is paid twice.

import { transaction, type Tx } from '@/lib/db';
import type { Config } from '@/lib/config';
import type { Context } from '@/lib/context';
import { reserveRefund } from '@/lib/ledger/post-refund';
import { recordRefundEvent } from '@/lib/webhooks/record';
import { giveBack } from './give-back';
import { recoveredName } from './recover-adopt';
import {
  caseOf,
  centsOf,
  contradiction,
  decimalsIn,
  hindrance,
  type KnownRefund,
  type RefundedSession,
} from './recover-facts';
import { refundDay } from './rules';
import type { UnknownIntent } from './signer-check-journal';
import { moveRefund } from './states';

/** `imported`: the refund was there. `recreated`: it was not. `ended`: it had ended without a payment. `left`: for a person. */
export type Recovered = { readonly done: 'imported' | 'recreated' | 'ended' } | { readonly left: string };

type Deps = Pick<Context, 'pool' | 'clock'> & { readonly config: Pick<Config, 'TEST_CHAINS'> };
type Row = KnownRefund & {
  readonly id: string;
  readonly store_id: string;
  readonly refund_id: string;
  readonly order_id: string;
};
type Refunding = { readonly deps: Deps; readonly unknown: UnknownIntent; readonly cents: bigint };

const ENDED = 'It had ended without a payment before the database was restored.';

/** Rolls everything back. */
class Left extends Error {}

/** Recovers one refund in one transaction. */
export async function recoverIntent(deps: Deps, unknown: UnknownIntent): Promise<Recovered> {
  const { order } = unknown.intent;
  try {
    const refunding = { deps, unknown, cents: centsOf(deps.config, order) };
    return await transaction(deps.pool, async (tx) => {
      // The session first: creating a refund takes turns by its row.
      const session = await lockSession(tx, unknown);
      const { rows } = await tx.query<Row>(
        `SELECT id, store_id, refund_id, order_id, status, amount, currency, network, session_id, case_id, destination, asked_at
         FROM refunds WHERE id = $1 FOR UPDATE`,
        [order.intentId],
      );
      return rows[0] ? importInto(tx, refunding, rows[0]) : recreate(tx, refunding, session);
    });
  } catch (error) {
    if (error instanceof Left) return { left: error.message };
    throw error;
  }
}

async function lockSession(tx: Tx, { intent: { order } }: UnknownIntent): Promise<RefundedSession | null> {
  const { rows } = await tx.query<RefundedSession>(
    `SELECT store_id, order_id, status, amount_due, amount_refunded FROM sessions
     WHERE id = $1 AND environment = $2::"Environment" FOR UPDATE`,
    [order.evidence.session, order.environment],
  );
  return rows[0] ?? null;
}

async function importInto(tx: Tx, refunding: Refunding, row: Row): Promise<Recovered> {
  const { deps, unknown, cents } = refunding;
  const { intent } = unknown;
  const why = contradiction(row, intent, cents);
  if (why !== null) throw new Left(why);
  if (row.status === 'failed') return { done: 'ended' };
  const at = deps.clock.now();
  if (row.status === 'pending') await moveRefund(tx, row.id, 'begin', { at, signAfter: at });
  if (intent.released) {
    await endUnpaid(tx, refunding, row);
    return { done: 'ended' };
  }
  await dropUnsigned(tx, unknown);
  await setAsked(tx, refunding);
  await insertAttempts(tx, unknown);
  return { done: 'imported' };
}

/** The signer has released it, so nothing of it can land and nothing more is signed for it. */
async function endUnpaid(tx: Tx, { deps, unknown, cents }: Refunding, row: Row): Promise<void> {
  const { environment } = unknown.intent.order;
  const at = deps.clock.now();
  await tx.query(
    `UPDATE refund_attempts SET status = CASE WHEN hash IS NULL THEN 'refused' ELSE 'lapsed' END::"AttemptStatus",
       outcome = $2, ended_at = $3 WHERE intent_id = $1 AND ended_at IS NULL`,
    [row.id, ENDED, at],
  );
  await moveRefund(tx, row.id, 'fail', { at, failureReason: ENDED });
  const { id, store_id: storeId, session_id: sessionId, case_id: caseId } = row;
  await giveBack(tx, { id, storeId, environment, sessionId, caseId, amount: cents });
  const { order_id: orderId, refund_id: refundId, currency, network } = row;
  const facts = { sessionId, orderId, refundId, amount: cents, currency, network };
  const end = { transactionHash: null, failureReason: ENDED };
  await recordRefundEvent(tx, { ...facts, ...end, intentId: id, storeId, environment, type: 'refund.failed', now: at });
}

/** A draft of this database that the signer never signed; with those of the journal beside it, it never will. */
async function dropUnsigned(tx: Tx, { intent }: UnknownIntent): Promise<void> {
  await tx.query(
    `UPDATE refund_attempts SET status = 'refused', outcome = 'the signer had signed another before', ended_at = now()
     WHERE intent_id = $1 AND status = 'drafted' AND NOT draft->>'unsigned' = ANY($2)`,
    [intent.order.intentId, intent.attempts.map(({ draft }) => draft.unsigned)],
  );
}

async function setAsked(tx: Tx, { deps, unknown }: Refunding): Promise<void> {
  const { intentId, to, evidence } = unknown.intent.order;
  await tx.query(
    `UPDATE refunds SET destination = $2, destination_kind = $3, destination_reference = $4,
       asked_at = coalesce(asked_at, $5), hold = NULL, hold_message = NULL, held_at = NULL, next_at = $5, epoch = epoch + 1
     WHERE id = $1`,
    [intentId, to, evidence.kind, evidence.reference, deps.clock.now()],
  );
}

/** In the journal's order, after those that the database has, on the chain that the refund's payment came on. */
async function insertAttempts(tx: Tx, { intent: { order }, missing }: UnknownIntent): Promise<void> {
  const { rowCount } = await tx.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, draft, drafted_at)
     SELECT $1, (SELECT coalesce(max(number), 0) FROM refund_attempts WHERE intent_id = $1) + line.place, c.id,
            line.draft::json, line.at
     FROM chains c, unnest($4::text[], $5::timestamptz[]) WITH ORDINALITY AS line (draft, at, place)
     WHERE c.environment = $2::"Environment" AND c.network = $3 AND c.retired_at IS NULL`,
    [
      order.intentId,
      order.environment,
      order.network,
      missing.map(({ draft }) => JSON.stringify(draft)),
      missing.map(({ at }) => new Date(at)),
    ],
  );
  if (rowCount !== missing.length) throw new Left(`${order.network} is not followed: start the worker with it first`);
}

async function recreate(tx: Tx, refunding: Refunding, session: RefundedSession | null): Promise<Recovered> {
  const { deps, unknown, cents } = refunding;
  const { intent } = unknown;
  const { order } = intent;
  const ofCase = caseOf(order);
  if (ofCase !== null) {
    throw new Left(
      `it sends back the payment of case ${ofCase}: decide that case again as before, then run this again`,
    );
  }
  if (intent.released) {
    // The session of a payment that was never made counts for nothing; without it there is nothing to keep.
    if (session) await insertRefund(tx, refunding, session);
    return { done: 'ended' };
  }
  const why = hindrance(session, cents);
  if (why !== null || session === null) throw new Left(why ?? 'its session is unknown to this database');
  const day = await insertRefund(tx, refunding, session);
  await tx.query('UPDATE sessions SET amount_refunded = amount_refunded + $2 WHERE id = $1', [
    order.evidence.session,
    cents,
  ]);
  await tx.query(
    `INSERT INTO refund_days AS d (store_id, environment, day, amount) VALUES ($1, $2::"Environment", $3::date, $4)
     ON CONFLICT (store_id, environment, day) DO UPDATE SET amount = d.amount + excluded.amount`,
    [session.store_id, order.environment, day, cents],
  );
  const { network, currency } = order;
  const isReserved = await reserveRefund(
    tx,
    {
      intentId: order.intentId,
      storeId: session.store_id,
      environment: order.environment,
      sessionId: order.evidence.session,
      paid: { network, currency, amount: BigInt(order.amount) },
    },
    decimalsIn(deps.config, order.environment),
  );
  if (!isReserved) {
    throw new Left('its store has less than that in this database: let the worker catch up and run this again');
  }
  await insertAttempts(tx, unknown);
  return { done: 'recreated' };
}

/** As it was when it was signed first; it failed when it was released. Answers the day that it counts for. */
async function insertRefund(tx: Tx, { deps, unknown, cents }: Refunding, session: RefundedSession): Promise<string> {
  const { order, released, attempts } = unknown.intent;
  const now = deps.clock.now();
  const signedAt = new Date(attempts[0]?.at ?? now.getTime());
  const day = refundDay(signedAt);
  await tx.query(
    `WITH r AS (
       INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network,
         request_hash, day, created_at, sign_after, destination, destination_kind, destination_reference, asked_at,
         failure_reason, processed_at, next_at)
       VALUES ($1, $2, $3::"Environment", $4, $5, $6, $7::"RefundStatus", $8, $9, $10, '', $11::date, $12, $12, $13, $14, $15,
         $12, $16, CASE WHEN $16::text IS NOT NULL THEN $17::timestamptz END, $17) RETURNING id, status)
     INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'recover', status, $17 FROM r`,
    [
      order.intentId,
      session.store_id,
      order.environment,
      recoveredName(order.intentId),
      order.evidence.session,
      session.order_id,
      released ? 'failed' : 'processing',
      cents,
      order.currency,
      order.network,
      day,
      signedAt,
      order.to,
      order.evidence.kind,
      order.evidence.reference,
      released ? ENDED : null,
      now,
    ],
  );
  return day;
}
