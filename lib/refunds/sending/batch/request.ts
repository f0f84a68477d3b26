// Records the signature request of a whole batch in one transaction, or of none of its payouts.

import type { EvmDraft } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { transaction } from '@/lib/platform/database/db';
import { lockStorePayments } from '@/lib/refunds/approval/store-backing';
import { isNonceFree, storeRequest, type Requested } from '@/lib/refunds/sending/draft/signature-request';
import { signingHold } from '@/lib/refunds/sending/draft/signing-hold';
import { lockLeased, type Hold } from '@/lib/refunds/sending/lease';
import type { Destination } from '@/lib/refunds/rows';
import type { Work } from '@/lib/refunds/sending/sending-context';

/** A payout that may be drafted, with where it goes. */
export type Ready = { readonly work: Work; readonly destination: Destination };

/** Why nothing was recorded. `held`: this payout cannot be drafted now. */
export type Left = { readonly why: 'lost' | 'busy' } | { readonly held: Work; readonly hold: Hold };

/** Rolls the transaction back. */
class Leaving extends Error {
  readonly left: Left;
  constructor(left: Left) {
    super('the batch is not requested');
    this.left = left;
  }
}

/** The requests in the sequence of `members`, which is that of the items of `unsigned`. */
export async function requestBatch(
  members: readonly Ready[],
  { unsigned, from }: { readonly unsigned: string; readonly from: string },
): Promise<readonly Requested[] | Left> {
  const [first] = members;
  if (!first) throw new Error('a batch has payouts');
  const placed = members.map((one, item) => ({
    ...one,
    draft: { family: 'evm', intentId: one.work.payment.id, from, unsigned, item } satisfies EvmDraft,
  }));
  try {
    const requested = await transaction(first.work.context.pool, async (tx) => {
      // Always in this sequence, so that two transactions never wait for each other.
      for (const { work } of placed.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1)))
        if (!(await lockLeased(tx, work.payment))) throw new Leaving({ why: 'lost' });
      // Before the stores, as for a single payment.
      if (!(await isNonceFree(tx, first.work, placed[0]?.draft as EvmDraft))) throw new Leaving({ why: 'busy' });
      const storeIds = new Set(
        placed.flatMap(({ work: { payment } }) => ('storeId' in payment ? payment.storeId : [])),
      );
      for (const storeId of [...storeIds].toSorted()) await lockStorePayments(tx, { storeId });
      const done = [];
      for (const { work, destination, draft } of placed) {
        const hold =
          (await signingHold(tx, work, destination)) ?? (await work.rules.reserve(tx, work, { draft, destination }));
        if (hold === 'busy') throw new Leaving({ why: 'busy' });
        if (hold) throw new Leaving({ held: work, hold });
        // The next payout of the same store is backed by what this one leaves.
        done.push(await storeRequest(tx, work, { draft, destination }));
      }
      return done;
    });
    crashpoint('after-asked');
    return requested;
  } catch (error) {
    if (error instanceof Leaving) return error.left;
    throw error;
  }
}

const idOf = ({ work }: Ready): string => work.payment.id;
