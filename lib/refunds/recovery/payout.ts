// Recovers a payout that the signer's journal knows and the database does not know as it should: the payout itself, with its reserve, or its
// missing attempts. The journal knows only the intent, so a payout that is missing is called recovered_<id> until its store requests it
// again under the name that the intent was derived from. Such a payout costs its store nothing: the journal does not have its fee.

import { NO_COSTS, releasePayout, reservePayout } from '@/lib/ledger/post-payout';
import { unfreezeFor } from '@/lib/ledger/quarantine';
import type { Tx } from '@/lib/platform/database/db';
import { recoveredName } from './adopt';
import { ENDED, NotRecoverable, type Refunding } from './recreate';
import { recordPayoutEnd } from '@/lib/refunds/payout-event';
import { moveAttempts, movePayment } from '@/lib/refunds/states';
import type { RefundStatus } from '@/prisma/generated/enums';

type Row = {
  readonly status: RefundStatus;
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly store_id: string;
  readonly destination: string | null;
  readonly signature_requested_at: Date | null;
};

/** The store that an evidence name of payouts belongs to. */
const storeOf = (session: string): string => session.slice('payouts:'.length).split('/', 1)[0] ?? '';

/** `ended`: it had ended without a payment. Otherwise the caller stores the missing attempts. Throws NotRecoverable. */
export async function recoverPayout(tx: Tx, recovering: Refunding): Promise<'imported' | 'recreated' | 'ended'> {
  const { deps, unknown, cents } = recovering;
  const { order, released } = unknown.intent;
  const { rows } = await tx.query<Row>(
    `SELECT status, amount, currency, network, store_id, destination, signature_requested_at FROM payouts WHERE id = $1 FOR UPDATE`,
    [order.intentId],
  );
  const [row] = rows;
  if (!row) return recreatePayout(tx, recovering);
  const isSame = row.currency === order.currency && row.network === order.network && BigInt(row.amount) === cents;
  if (!isSame || row.store_id !== storeOf(order.evidence.session))
    throw new NotRecoverable('the database has another payout of this name');
  if (row.signature_requested_at !== null && row.destination !== order.to)
    throw new NotRecoverable('in the database it goes to another address');
  if (row.status === 'failed' && released) return 'ended';
  if (row.status !== 'pending' && row.status !== 'processing')
    throw new NotRecoverable(`it is ${row.status} in the database`);
  const at = deps.clock.now();
  const payment = { table: 'payouts', id: order.intentId } as const;
  if (row.status === 'pending') await movePayment(tx, payment, 'begin', { at, signAfter: at });
  if (released) {
    await closeReleased(tx, order.intentId, at);
    await movePayment(tx, payment, 'fail', { at, failureReason: ENDED });
    await releasePayout(tx, { intentId: order.intentId });
    await recordPayoutEnd(tx, order.intentId, 'payout.failed', at);
    return 'ended';
  }
  await tx.query(
    `UPDATE payouts SET destination = $2, destination_kind = $3, destination_reference = $4,
       signature_requested_at = coalesce(signature_requested_at, $5), hold = NULL, hold_message = NULL, held_at = NULL, next_at = $5,
       epoch = epoch + 1 WHERE id = $1`,
    [order.intentId, order.to, order.evidence.kind, order.evidence.reference, at],
  );
  return 'imported';
}

/** Ends the attempts of a payment that the signer has released: none of them can land. */
export async function closeReleased(tx: Tx, intentId: string, at: Date): Promise<void> {
  await moveAttempts(tx, {
    name: 'recover-attempts-released',
    move: { refuse: 'hash IS NULL', lapse: 'hash IS NOT NULL' },
    set: 'outcome = $2, ended_at = $3',
    where: 'intent_id = $1 AND ended_at IS NULL',
    values: [intentId, ENDED, at],
  });
}

async function recreatePayout(tx: Tx, { deps, unknown, cents }: Refunding): Promise<'recreated' | 'ended'> {
  const { order, released, attempts } = unknown.intent;
  const { intentId, environment, network, currency } = order;
  const storeId = storeOf(order.evidence.session);
  const { rowCount } = await tx.query('SELECT 1 FROM stores WHERE id = $1', [storeId]);
  if (rowCount === 0)
    throw new NotRecoverable(
      'its store is unknown to this database: it was created after the backup, and the payment stands for itself',
    );
  const now = deps.clock.now();
  const signedAt = new Date(attempts[0]?.at ?? now.getTime());
  await tx.query(
    `WITH made AS (
       INSERT INTO payouts (id, store_id, environment, payout_id, status, amount, currency, network, request_hash, created_at, sign_after,
         destination, destination_kind, destination_reference, signature_requested_at, next_at, failure_reason, processed_at)
       VALUES ($1, $2, $3::"Environment", $4, $13::"RefundStatus", $5, $6, $7, '', $8, $8, $9, $10, $11, $8, $12, $14,
         CASE WHEN $14::text IS NOT NULL THEN $12::timestamptz END) RETURNING id, status)
     INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'recover', status, $12 FROM made`,
    [
      ...[intentId, storeId, environment, recoveredName(intentId), cents, currency, network, signedAt],
      ...[order.to, order.evidence.kind, order.evidence.reference, now],
      ...[released ? 'failed' : 'processing', released ? ENDED : null],
    ],
  );
  // A payout that was never paid takes nothing.
  if (released) return 'ended';
  const paid = { network, currency, amount: BigInt(order.amount) };
  await unfreezeFor(tx, { storeId, environment }, [paid]);
  const signed = { intentId, storeId, environment, paid, costs: NO_COSTS, isSigned: true };
  if ((await reservePayout(tx, signed)) > 0n)
    throw new NotRecoverable(
      'its store has less than that in this database: let the worker catch up and run this again',
    );
  return 'recreated';
}
