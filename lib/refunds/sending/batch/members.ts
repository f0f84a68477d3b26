// The payouts of one batch, as the database has them. Each has an attempt with the same bytes, in a place of its own.

import { batchPlaceOf } from '@/lib/networks/sending/draft';
import type { Draft } from '@/lib/networks/sending/send';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import type { AttemptStatus } from '@/prisma/generated/enums';
import { readPayouts } from '@/lib/refunds/rows';
import { FOR_OPERATOR } from '@/lib/refunds/sending/plan';
import { laterBy, type Work } from '@/lib/refunds/sending/sending-context';

type Batch = { readonly draft: Draft };

/** The works of all members in the sequence of the batch, if each has an open attempt of these statuses; otherwise null. */
export async function openMembers(
  db: Db,
  work: Work,
  { draft, statuses }: Batch & { readonly statuses: readonly AttemptStatus[] },
): Promise<readonly Work[] | null> {
  const place = batchPlaceOf(draft);
  // The index of open attempts finds them: there are few.
  const { rows } = await db.query<{ intent_id: string }>({
    name: 'refund-batch-members',
    text: `SELECT intent_id FROM refund_attempts WHERE chain_id = $1 AND ended_at IS NULL AND draft->>'unsigned' = $2
             AND status = ANY($3::"AttemptStatus"[]) AND judged IS NULL ORDER BY (draft->>'item')::int`,
    values: [work.chainId, draft.unsigned, statuses],
  });
  const ids = rows.map(({ intent_id }) => intent_id);
  if (!place || ids.length !== place.items.length || new Set(ids).size !== ids.length) return null;
  const payments = new Map((await readPayouts(db, ids)).map((one) => [one.id, one]));
  const works = ids.flatMap((id): Work[] => {
    const payment = payments.get(id);
    return payment ? [{ ...work, payment }] : [];
  });
  return works.length === ids.length ? works : null;
}

/**
 * Takes the leases of all members of a drafted batch, also those of other workers, whose later writes then change nothing. So no payout
 * leaves the batch while its signature is requested. Null: one has left it, or this worker has lost its own payout.
 */
export const takeMembers = (work: Work, batch: Batch): Promise<readonly Work[] | null> =>
  transaction(work.context.pool, async (tx) => {
    const found = await openMembers(tx, work, { ...batch, statuses: ['drafted'] });
    if (!found || !(await lockMembers(tx, work, found))) return null;
    const until = laterBy(work, work.sending.intervals.lease);
    const ids = found.map(({ payment }) => payment.id);
    await tx.query({
      name: 'payouts-of-batch-take',
      text: `UPDATE payouts SET epoch = epoch + 1, next_at = $2 WHERE id = ANY($1)`,
      values: [ids, until],
    });
    return openMembers(tx, work, { ...batch, statuses: ['drafted'] });
  });

/** Extends the leases of all members. False when another worker has taken one of them by now, or one has ended. */
export async function extendMembers(work: Work, members: readonly Work[]): Promise<boolean> {
  const { rowCount } = await work.context.pool.query({
    name: 'payouts-of-batch-keep',
    text: `WITH mine AS (
             SELECT p.id FROM payouts p JOIN unnest($1::text[], $2::int[]) AS taken (id, epoch) USING (id, epoch)
             WHERE p.status = 'processing' ORDER BY p.id FOR UPDATE OF p)
           UPDATE payouts p SET next_at = $3 FROM mine WHERE p.id = mine.id`,
    values: [
      members.map(({ payment }) => payment.id),
      members.map(({ payment }) => payment.epoch),
      laterBy(work, work.sending.intervals.lease),
    ],
  });
  return rowCount === members.length;
}

/** Locks all members, always in the same sequence. False when one has ended, or this worker has lost the payout of `work`. */
export async function lockMembers(tx: Tx, { payment }: Work, members: readonly Work[]): Promise<boolean> {
  const { rows } = await tx.query<{ id: string; epoch: number }>({
    name: 'payouts-of-batch-lock',
    text: `SELECT id, epoch FROM payouts WHERE id = ANY($1) AND status = 'processing' ORDER BY id FOR UPDATE`,
    values: [members.map((member) => member.payment.id)],
  });
  const isMine = rows.some(({ id, epoch }) => id === payment.id && epoch === payment.epoch);
  return isMine && rows.length === members.length;
}

/** Ends the leases of members that this worker has taken; they come due at once. The hold that only an operator ends stays. */
export async function releaseMembers(tx: Tx, members: readonly Work[]): Promise<void> {
  const [first] = members;
  await tx.query({
    name: 'payouts-of-batch-release',
    text: `UPDATE payouts p SET next_at = $3, hold = CASE WHEN hold = '${FOR_OPERATOR}' THEN hold END,
             hold_message = CASE WHEN hold = '${FOR_OPERATOR}' THEN hold_message END,
             held_at = CASE WHEN hold = '${FOR_OPERATOR}' THEN held_at END
           FROM unnest($1::text[], $2::int[]) AS mine (id, epoch)
           WHERE p.id = mine.id AND p.epoch = mine.epoch AND p.status = 'processing'`,
    values: [
      members.map(({ payment }) => payment.id),
      members.map(({ payment }) => payment.epoch),
      first?.context.clock.now() ?? null,
    ],
  });
}
