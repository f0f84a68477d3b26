// Replaces a batch that no block includes by the same batch with a higher fee: the same items in the same places, and the same account
// nonce. Any payout of the batch can request it for all of them.

import { transaction } from '@/lib/platform/database/db';
import type { SignedAttempt } from '@/lib/refunds/attempts';
import { storeRequest } from '@/lib/refunds/sending/draft/signature-request';
import { readUnmined } from '@/lib/refunds/sending/follow/unmined';
import { orderFor, type Work } from '@/lib/refunds/sending/sending-context';
import { lockMembers, openMembers } from './members';

/** `not_now`: a payout of the batch has ended, or another worker has the payout. Throws SendHold and ChainError. */
export async function replaceBatch(work: Work, { draft, validity }: SignedAttempt): Promise<'requested' | 'not_now'> {
  const { sending } = work;
  if (draft.family !== 'evm' || validity.kind !== 'nonce' || !sending.sender.draftBatch) return 'not_now';
  const members = await openMembers(work.context.pool, work, { draft, statuses: ['signed', 'sent'] });
  if (!members) return 'not_now';
  const orders = members.map((member) => orderFor(member, member.payment.destination?.address ?? ''));
  const unmined = await readUnmined(
    work,
    members.map(({ payment }) => payment.id),
  );
  const options = { nonce: validity.nonce, unmined, replaces: draft };
  const drafted = await sending.sender.draftBatch(orders, draft.from, options);
  if (drafted.kind !== 'drafted') return 'not_now';
  return (await storeReplacement(work, members, { unsigned: drafted.unsigned, from: draft.from }))
    ? 'requested'
    : 'not_now';
}

/** False when a payout of the batch has ended meanwhile, has an open draft, or the worker has lost its own. */
const storeReplacement = (
  work: Work,
  members: readonly Work[],
  { unsigned, from }: { readonly unsigned: string; readonly from: string },
): Promise<boolean> =>
  transaction(work.context.pool, async (tx) => {
    // The rows of payouts that other workers have are locked too: none of them ends, and none gets another draft meanwhile.
    if (!(await lockMembers(tx, work, members))) return false;
    const { rowCount } = await tx.query({
      name: 'refund-batch-drafted',
      text: `SELECT 1 FROM refund_attempts WHERE chain_id = $1 AND intent_id = ANY($2) AND status = 'drafted' LIMIT 1`,
      values: [work.chainId, members.map(({ payment }) => payment.id)],
    });
    if (rowCount !== 0) return false;
    for (const [item, member] of members.entries()) {
      const { id, destination } = member.payment;
      if (!destination) return false;
      await storeRequest(tx, member, { draft: { family: 'evm', intentId: id, from, unsigned, item }, destination });
    }
    return true;
  });
