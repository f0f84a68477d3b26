// Writes the journal's record of one refund into a database that lacks it: the refund itself, if that is missing too (recreate.ts), and its
// attempts as drafts. After the unfreeze, the worker requests their signatures again, and the signer returns the original bytes. So every
// payment is followed to its outcome and none is paid twice.

import { transaction, type Tx } from '@/lib/platform/database/db';
import { errorText } from '@/lib/platform/errors/error-text';
import { readReservation } from '@/lib/ledger/post-refund';
import { sessionOfEvidence } from '@/lib/signer/attestations/refund-evidence';
import { recordRefundEvent } from '@/lib/webhooks/events/record';
import { releaseAmounts } from '@/lib/refunds/request/release-amounts';
import { contradiction, centsOf, type KnownRefund } from './facts';
import { recoverColdTransfer } from './cold-transfer';
import { closeReleased, recoverPayout } from './payout';
import { convertSigned, ENDED, NotRecoverable, recreate, reserveAgain, type Refunding } from './recreate';
import type { UnknownIntent } from './signer-check-journal';
import { moveAttempts, moveRefund } from '@/lib/refunds/states';

/**
 * `imported`: the refund existed. `recreated`: it did not. `ended`: it had ended without a payment. `notRecovered`: why an operator has to
 * decide. `isFault`: an error prevented the recovery; an operator cannot accept it, and the next recovery tries again.
 */
export type Recovered =
  { readonly done: 'imported' | 'recreated' | 'ended' } | { readonly notRecovered: string; readonly isFault?: true };

type Row = KnownRefund & {
  readonly id: string;
  readonly store_id: string;
  readonly refund_id: string;
  readonly order_id: string;
};

/** Recovers one refund in one transaction. Never throws, so that one refund cannot block the recovery of others. */
export async function recoverIntent(deps: Refunding['deps'], unknown: UnknownIntent): Promise<Recovered> {
  const { order } = unknown.intent;
  try {
    const refunding = { deps, unknown, cents: centsOf(deps.config, order) };
    return await transaction(deps.pool, async (tx) => {
      if (order.evidence.kind === 'payout') return recoverOther(tx, refunding, recoverPayout);
      if (order.evidence.kind === 'cold') return recoverOther(tx, refunding, recoverColdTransfer);
      // Lock the session first, as the creation of a refund does.
      await tx.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [sessionOfEvidence(order.evidence.session)]);
      const { rows } = await tx.query<Row>(
        `SELECT r.id, r.store_id, r.refund_id, r.order_id, r.status, r.amount, r.currency, r.network, r.session_id, r.case_id, r.destination, r.signature_requested_at,
           CASE WHEN t.id IS NOT NULL THEN json_build_object(
             'genesis', ch.genesis, 'transactionHash', t.transaction_hash, 'ordinal', t.ordinal) END AS transfer
         FROM refunds r LEFT JOIN payment_exceptions c ON c.id = r.case_id LEFT JOIN transfers t ON t.id = c.transfer_id
           LEFT JOIN chains ch ON ch.id = t.chain_id
         WHERE r.id = $1 FOR UPDATE OF r`,
        [order.intentId],
      );
      if (rows[0]) return importInto(tx, refunding, rows[0]);
      await recreate(tx, refunding);
      if (unknown.intent.released) return { done: 'ended' };
      await insertAttempts(tx, unknown);
      return { done: 'recreated' };
    });
  } catch (error) {
    if (error instanceof NotRecoverable) return { notRecovered: error.message };
    return { notRecovered: errorText(error), isFault: true };
  }
}

/** A payout or a cold transfer. */
async function recoverOther(tx: Tx, recovering: Refunding, recoverRow: typeof recoverPayout): Promise<Recovered> {
  const done = await recoverRow(tx, recovering);
  if (done === 'ended') return { done };
  if (done === 'imported') await dropUnsigned(tx, recovering.unknown);
  await insertAttempts(tx, recovering.unknown);
  return { done };
}

async function importInto(tx: Tx, refunding: Refunding, row: Row): Promise<Recovered> {
  const { deps, unknown, cents } = refunding;
  const { intent } = unknown;
  const why = contradiction(row, intent, cents);
  if (why !== null) throw new NotRecoverable(why);
  if (row.status === 'failed') return { done: 'ended' };
  const at = deps.clock.now();
  if (row.status === 'pending') await moveRefund(tx, row.id, 'begin', { at, signAfter: at });
  if (intent.released) {
    await endUnpaid(tx, refunding, row);
    return { done: 'ended' };
  }
  await reserveSigned(tx, refunding, row);
  await dropUnsigned(tx, unknown);
  await markSignatureRequested(tx, refunding);
  await insertAttempts(tx, unknown);
  return { done: 'imported' };
}

/** A backup can predate the reserve and the conversion of a refund that had waited for its store's balance. */
async function reserveSigned(tx: Tx, refunding: Refunding, row: Row): Promise<void> {
  if (row.case_id !== null) return;
  const of = { sessionId: row.session_id, storeId: row.store_id };
  const { amounts } = await readReservation(tx, { intentId: row.id, storeId: row.store_id });
  await (amounts.length === 0 ? reserveAgain : convertSigned)(tx, refunding, of);
}

/** Fails a refund that the signer has released: none of its attempts can land, and the signer signs nothing more for it. */
async function endUnpaid(tx: Tx, { deps, unknown, cents }: Refunding, row: Row): Promise<void> {
  const { environment } = unknown.intent.order;
  const at = deps.clock.now();
  await closeReleased(tx, row.id, at);
  await moveRefund(tx, row.id, 'fail', { at, failureReason: ENDED });
  const { id, store_id: storeId, session_id: sessionId, case_id: caseId, network } = row;
  await releaseAmounts(tx, { id, storeId, environment, sessionId, caseId, network, amount: cents });
  const { order_id: orderId, refund_id: refundId, currency } = row;
  const facts = { sessionId, orderId, refundId, amount: cents, currency, network };
  const end = { transactionHash: null, failureReason: ENDED };
  await recordRefundEvent(tx, { ...facts, ...end, intentId: id, storeId, environment, type: 'refund.failed', now: at });
}

/** Drops a draft of this database that the signer never signed; once the attempts of the journal are stored, it never will. */
async function dropUnsigned(tx: Tx, { intent }: UnknownIntent): Promise<void> {
  await moveAttempts(tx, {
    name: 'recover-attempts-unsigned',
    move: 'refuse',
    set: `outcome = 'the signer had signed another attempt before', ended_at = now()`,
    where: `intent_id = $1 AND NOT draft->>'unsigned' = ANY($2)`,
    values: [intent.order.intentId, intent.attempts.map(({ draft }) => draft.unsigned)],
  });
}

async function markSignatureRequested(tx: Tx, { deps, unknown }: Refunding): Promise<void> {
  const { intentId, to, evidence } = unknown.intent.order;
  await tx.query(
    `UPDATE refunds SET destination = $2, destination_kind = $3, destination_reference = $4,
       signature_requested_at = coalesce(signature_requested_at, $5), hold = NULL, hold_message = NULL, held_at = NULL, next_at = $5, epoch = epoch + 1
     WHERE id = $1`,
    [intentId, to, evidence.kind, evidence.reference, deps.clock.now()],
  );
}

/** In the journal's order, after the attempts in the database, on the followed chain of the refund's network. */
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
  if (rowCount !== missing.length)
    throw new NotRecoverable(`${order.network} is not followed: start the worker with it first`);
}
