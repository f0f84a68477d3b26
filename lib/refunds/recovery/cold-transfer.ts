// Recovers a cold transfer that the signer's journal knows and the database does not know as it should. Its name says which one it
// is, so a transfer that is missing is made again as it was. A restored database may have requested it anew with another amount:
// what the signer signed counts.

import type { Tx } from '@/lib/platform/database/db';
import { moveAttempts, movePayment } from '@/lib/refunds/states';
import type { RefundStatus } from '@/prisma/generated/enums';
import { closeReleased } from './payout';
import { ENDED, NotRecoverable, type Refunding } from './recreate';

/** `ended`: it had ended without a payment. Otherwise the caller stores the missing attempts. Throws NotRecoverable. */
export async function recoverColdTransfer(
  tx: Tx,
  { deps, unknown, cents }: Refunding,
): Promise<'imported' | 'recreated' | 'ended'> {
  const { order, released, attempts } = unknown.intent;
  const { intentId, environment, network, currency } = order;
  const at = deps.clock.now();
  const number = Number(/_(\d+)$/.exec(intentId)?.[1] ?? 0);
  const signedAt = new Date(attempts[0]?.at ?? at.getTime());
  // It is signed from the start, so it does not count as the one unsigned transfer of its token.
  const { rowCount: made } = await tx.query(
    `WITH made AS (
       INSERT INTO cold_transfers (id, environment, network, currency, number, amount, status, created_at, sign_after, destination,
         destination_kind, destination_reference, signature_requested_at, next_at)
       VALUES ($1, $2::"Environment", $3, $4, $5, $6, 'processing', $7, $7, $8, $9, $10, $7, $11) ON CONFLICT (id) DO NOTHING
       RETURNING id, status)
     INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'recover', status, $11 FROM made`,
    [
      ...[intentId, environment, network, currency, number, cents, signedAt],
      ...[order.to, order.evidence.kind, order.evidence.reference, at],
    ],
  );
  const { rows } = await tx.query<{ status: RefundStatus; amount: string }>(
    'SELECT status, amount FROM cold_transfers WHERE id = $1 FOR UPDATE',
    [intentId],
  );
  const status = rows[0]?.status ?? 'failed';
  if (status === 'failed' && released) return 'ended';
  if (status !== 'pending' && status !== 'processing') throw new NotRecoverable(`it is ${status} in the database`);
  if (BigInt(rows[0]?.amount ?? 0) !== cents) await takeSigned(tx, { intentId, cents });
  const payment = { table: 'cold_transfers', id: intentId } as const;
  if (status === 'pending') await movePayment(tx, payment, 'begin', { at, signAfter: at });
  if (released) {
    await closeReleased(tx, intentId, at);
    await movePayment(tx, payment, 'fail', { at, failureReason: ENDED });
    return 'ended';
  }
  await tx.query(
    `UPDATE cold_transfers SET destination = $2, destination_kind = $3, destination_reference = $4,
       signature_requested_at = coalesce(signature_requested_at, $5), hold = NULL, hold_message = NULL, held_at = NULL, next_at = $5,
       epoch = epoch + 1 WHERE id = $1`,
    [intentId, order.to, order.evidence.kind, order.evidence.reference, at],
  );
  return made === 1 ? 'recreated' : 'imported';
}

/** Drops the drafts of the other amount: the signer never signs them. A signed one keeps its amount (trigger). */
async function takeSigned(
  tx: Tx,
  { intentId, cents }: { readonly intentId: string; readonly cents: bigint },
): Promise<void> {
  await moveAttempts(tx, {
    name: 'recover-cold-unsigned',
    move: 'refuse',
    set: `outcome = 'the signer had signed another amount before', ended_at = now()`,
    where: 'intent_id = $1',
    values: [intentId],
  });
  await tx.query('UPDATE cold_transfers SET amount = $2 WHERE id = $1', [intentId, cents]);
}
