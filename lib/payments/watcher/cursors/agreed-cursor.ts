// Keeps the final cursor on blocks that several endpoints hold, where the operator wants agreement, and goes back when they
// abandon it. While one endpoint alone can answer, the cursor moves on its word; the last agreed cursor is kept for that.

import { ChainError, type Head } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { isAgreed, noteAgreed, setBack, type ChainRow, type Cursor } from './chain-row';
import { startingBlock } from './follow';

/** Endpoints in order are seconds apart. A cursor this far beyond the agreed block was reported by one endpoint alone. */
const MOST_AHEAD_MS = 120_000;

/** How far final blocks may be scanned now, and the block there that several endpoints agree on; null on one's word. */
export type Reach = { readonly last: number; readonly agreed: Cursor | null };

/** Asks for agreement on the last block to scan. Throws a ChainError when the cursor had to be set back. */
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
    await noteAgreed(context.pool, row);
  } else if (!isKnown && isAbandoned(chain, row, agreed)) {
    await stepBack(context, chain, row);
    throw new ChainError('reorganised', `the endpoints agree on block ${agreed.number}, not on ${row.final.number}`);
  }
  return { last: Math.min(last, agreed.number), agreed: null };
}

const isAbandoned = ({ spec }: FollowedChain, { final }: ChainRow, agreed: Cursor): boolean =>
  agreed.number === final.number || (final.number - agreed.number) * spec.blockMs > MOST_AHEAD_MS;

/**
 * Goes back to the last agreed cursor, or without one to where a new chain would start, after so many endpoints as the operator
 * wants abandoned the final cursor. Blocks are then read again; transfers that are stored stay stored.
 */
export async function stepBack(context: Context, chain: FollowedChain, row: ChainRow): Promise<void> {
  // They agreed on it before: a network that takes back final blocks is for the operator to judge.
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
