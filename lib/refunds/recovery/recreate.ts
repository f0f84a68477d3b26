// Recreates a refund that the signer's journal knows and the database lacks, with everything that its creation reserved: its part of the
// session and the day and the reserve, or the decision about the payment that it sends back.

import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { postConversion, readReservation, readSessionFunds, reserveRefund } from '@/lib/ledger/post-refund';
import { unfreezeFor } from '@/lib/ledger/quarantine';
import { sessionOfEvidence } from '@/lib/signer/attestations/refund-evidence';
import { shortfallOf } from '@/lib/ledger/postings';
import { planRefund } from '@/lib/ledger/sources';
import { payerCount, readPayers } from '@/lib/refunds/destination/payers';
import { recoveredName } from './adopt';
import { decideAgain, findRefunded } from './exception';
import { decimalsIn, recreationObstacle, isOfTransfer, type RefundedSession } from './facts';
import { refundDay } from '@/lib/refunds/request/rules';
import type { UnknownIntent } from './signer-check-journal';

export type Refunding = {
  readonly deps: Pick<Context, 'pool' | 'clock'> & { readonly config: Pick<Config, 'TEST_CHAINS'> };
  readonly unknown: UnknownIntent;
  readonly cents: bigint;
};

/** The refund cannot be recreated, and an operator has to decide. Thrown to roll the transaction back. */
export class NotRecoverable extends Error {}

export const ENDED = 'It had ended without a payment before the database was restored.';

/** Recreates the refund, as failed if the signer released it. Throws NotRecoverable if that is impossible. */
export const recreate = (tx: Tx, refunding: Refunding): Promise<void> =>
  isOfTransfer(refunding.unknown.intent.order) ? recreateOfCase(tx, refunding) : recreateOfSession(tx, refunding);

async function recreateOfCase(tx: Tx, refunding: Refunding): Promise<void> {
  const { deps, unknown, cents } = refunding;
  const { order, released } = unknown.intent;
  const found = await findRefunded(tx, order);
  if (!found) {
    throw new NotRecoverable(
      'it sends a payment back that this database has not got: let the worker catch up with the network and run this again',
    );
  }
  const why = released ? null : await decideAgain(tx, found, { cents, now: deps.clock.now() });
  if (why !== null) throw new NotRecoverable(why);
  const of = { ...found, refundId: found.refundId ?? recoveredName(order.intentId) };
  const day = await insertRefund(tx, refunding, of);
  if (!released) await countForDay(tx, refunding, { storeId: of.storeId, day, cents: 0n });
}

async function recreateOfSession(tx: Tx, refunding: Refunding): Promise<void> {
  const { unknown, cents } = refunding;
  const { order, released } = unknown.intent;
  const sessionId = sessionOfEvidence(order.evidence.session);
  const { rows } = await tx.query<RefundedSession>(
    `SELECT store_id, order_id, status, amount_due, amount_refunded FROM sessions
     WHERE id = $1 AND environment = $2::"Environment"`,
    [sessionId, order.environment],
  );
  const session = rows[0] ?? null;
  const why = released ? null : recreationObstacle(session, cents);
  if (why !== null) throw new NotRecoverable(why);
  // A refund that was never paid counts for nothing. Without its session there is nothing to restore.
  if (session === null) return;
  const of = { sessionId, storeId: session.store_id, orderId: session.order_id, caseId: null };
  const payer = await payerOf(tx, refunding, of);
  const day = await insertRefund(tx, refunding, { ...of, refundId: recoveredName(order.intentId), payer });
  if (released) return;
  await tx.query('UPDATE sessions SET amount_refunded = amount_refunded + $2 WHERE id = $1', [of.sessionId, cents]);
  await countForDay(tx, refunding, { storeId: of.storeId, day, cents });
  await reserveAgain(tx, refunding, of);
}

/** Counts one refund for its store's day; `cents` is 0 for a payment that is sent back. */
async function countForDay(
  tx: Tx,
  { unknown }: Refunding,
  { storeId, day, cents }: { readonly storeId: string; readonly day: string; readonly cents: bigint },
): Promise<void> {
  await tx.query(
    `INSERT INTO refund_days AS d (store_id, environment, day, amount, count) VALUES ($1, $2::"Environment", $3::date, $4, 1)
     ON CONFLICT (store_id, environment, day) DO UPDATE SET amount = d.amount + excluded.amount, count = d.count + 1`,
    [storeId, unknown.intent.order.environment, day, cents],
  );
}

/** With several payers, only a chosen one is paid without a claim link, so the refund counts as that payer's share. */
async function payerOf(
  tx: Tx,
  { unknown }: Refunding,
  { sessionId, storeId }: { readonly sessionId: string; readonly storeId: string },
): Promise<string | null> {
  const { to, environment, evidence } = unknown.intent.order;
  if (evidence.kind !== 'payer') return null;
  const payers = await readPayers(tx, { storeId, environment, sessionId, caseId: null }, undefined);
  return payerCount(payers) > 1 ? to : null;
}

export async function reserveAgain(
  tx: Tx,
  refunding: Refunding,
  of: { readonly sessionId: string; readonly storeId: string },
): Promise<void> {
  const { deps, unknown, cents } = refunding;
  const { intentId, environment, network, currency } = unknown.intent.order;
  const funds = await readSessionFunds(tx, of);
  const plan = planRefund(funds, { cents, currency, networks: [network] }, decimalsIn(deps.config, environment));
  if (plan) await unfreezeFor(tx, { storeId: of.storeId, environment }, plan.takes);
  if (!plan || !(await reserveRefund(tx, { ...of, intentId, environment, isSigned: true }, plan.takes))) {
    throw new NotRecoverable(
      'its store has less than that in this database: let the worker catch up and run this again',
    );
  }
  await convertSigned(tx, refunding, of);
}

/** A signed refund was converted before, so convert it again, regardless of the present prices and the operator's balance. */
export async function convertSigned(
  tx: Tx,
  { unknown }: Pick<Refunding, 'unknown'>,
  { sessionId, storeId }: { readonly sessionId: string; readonly storeId: string },
): Promise<void> {
  const { intentId, environment, network, currency, amount } = unknown.intent.order;
  const refund = { intentId, storeId, environment, sessionId, paid: { network, currency, amount: BigInt(amount) } };
  const { amounts, isConverted } = await readReservation(tx, refund);
  if (isConverted || shortfallOf(refund.paid, amounts) === 0n) return;
  await postConversion(tx, refund, amounts);
}

type Of = {
  readonly sessionId: string;
  readonly storeId: string;
  readonly orderId: string;
  readonly caseId: string | null;
  readonly refundId: string;
  /** The one payer that it pays back; null unless several paid. */
  readonly payer?: string | null;
};

/** Inserts the refund as it was when it was first signed, or as failed when it was released. Returns the day that it counts for. */
async function insertRefund(tx: Tx, { deps, unknown, cents }: Refunding, of: Of): Promise<string> {
  const { order, released, attempts } = unknown.intent;
  const now = deps.clock.now();
  const signedAt = new Date(attempts[0]?.at ?? now.getTime());
  const day = refundDay(signedAt);
  await tx.query(
    `WITH r AS (
       INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network,
         request_hash, day, created_at, sign_after, destination, destination_kind, destination_reference, signature_requested_at,
         failure_reason, processed_at, next_at, case_id, payer)
       VALUES ($1, $2, $3::"Environment", $4, $5, $6, $7::"RefundStatus", $8, $9, $10, '', $11::date, $12, $12, $13, $14, $15,
         $12, $16, CASE WHEN $16::text IS NOT NULL THEN $17::timestamptz END, $17, $18, $19) RETURNING id, status)
     INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'recover', status, $17 FROM r`,
    [
      order.intentId,
      of.storeId,
      order.environment,
      of.refundId,
      of.sessionId,
      of.orderId,
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
      of.caseId,
      of.payer ?? null,
    ],
  );
  return day;
}
