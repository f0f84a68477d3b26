// Where the operator requires agreement, keeps the final cursor on blocks that several endpoints hold, and moves it back when
// they abandon its block. While only one endpoint responds, the cursor follows that endpoint, and the row keeps the last agreed
// cursor as the point to return to.

import { ChainError, type Head } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { isAgreed, recordAgreed, setBack, type ChainRow, type Cursor } from './chain-row';
import { startingBlock } from './follow';

/** Healthy endpoints differ by seconds. A cursor this far beyond the agreed block comes from a single endpoint. */
const MAX_AHEAD_MS = 120_000;

/** The last final block to scan, and the block there that several endpoints agree on. Null when only one endpoint reported it. */
export type Reach = { readonly last: number; readonly agreed: Cursor | null };

/** Requests agreement on the last block to scan. Throws a ChainError after it set the cursor back. */
export async function agreedReach(
  context: Context,
  chain: FollowedChain,
  { row, head, last }: { row: ChainRow; head: Head; last: number },
): Promise<Reach> {
  const isKnown = isAgreed(row);
  if (last <= row.final.number && isKnown) return { last, agreed: null };
  const agreed = await chain.adapter.agreed(last > row.final.number ? last : head.final.number);
  if (!agreed) return { last, agreed: null };
  if (agreed.number > row.final.number) return { last: Math.min(last, agreed.number), agreed };
  if (!isKnown && agreed.number === row.final.number && agreed.hash === row.final.hash) {
    await recordAgreed(context.pool, row);
  } else if (!isKnown && isAbandoned(chain, row, agreed)) {
    await stepBack(context, chain, row);
    throw new ChainError('reorganised', `the endpoints agree on block ${agreed.number}, not on ${row.final.number}`);
  }
  return { last: Math.min(last, agreed.number), agreed: null };
}

const isAbandoned = ({ spec }: FollowedChain, { final }: ChainRow, agreed: Cursor): boolean =>
  agreed.number === final.number || (final.number - agreed.number) * spec.blockMs > MAX_AHEAD_MS;

/**
 * Moves back to the last agreed cursor, or to the start of a new chain when there is none. Called when as many endpoints as the
 * operator requires abandoned the final cursor. The watcher then reads the blocks again; stored transfers stay stored.
 */
export async function stepBack(context: Context, chain: FollowedChain, row: ChainRow): Promise<void> {
  // The endpoints agreed on this block before. If a network reverts final blocks, the operator has to decide.
  if (isAgreed(row)) return;
  const to = row.agreed ?? (await startOf(context, chain));
  if (!(await setBack(context.pool, row, to))) return;
  const { network, environment } = chain;
  const about = { network, environment, from: row.final.number, to: to.number };
  context.log.error(about, 'the final cursor stood on a block that endpoints agree is not on the chain; reading again');
}

async function startOf(context: Context, chain: FollowedChain) {
  const { number, hash, time } = await startingBlock(context, chain);
  return { number, hash, time: fromUnixSeconds(time) };
}
