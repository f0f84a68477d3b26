// One window of the re-scan of a deposit address whose balance differs from its stored transfers. The first re-scan asks for all
// transfers to the address; the second reads every block by itself, for endpoints whose range answers are wrong. How far it is
// stands in the database, so any process goes on with it.

import { ChainError, type NetworkFamily, type RescanMethod } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import type { ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { rescanWindow } from '@/lib/payments/watcher/backfill/rescan';
import { failRescan, keepRescan, postponeRescan, skipRescan, takeRescan, type RunningRescan } from './rows';

/** Blocks where each costs a request: two hours of the fastest network that is read by blocks (BSC). */
const MOST_BLOCKS_ONE_BY_ONE = 16_000;
/** Blocks where two thousand cost a request: a month of the same network. */
const MOST_BLOCKS = 6_000_000;
/** The most blocks that a re-scan by `recipient` reads. */
export const longestScan = (family: NetworkFamily): number => (family === 'evm' ? MOST_BLOCKS : MOST_BLOCKS_ONE_BY_ONE);
/** Blocks that are read one by one in a window; their receipts are up to a megabyte each. */
const ONE_BY_ONE_WINDOW = 10;
/**
 * Blocks that all re-scans of a network read one by one in a day: on BSC two and a half whole re-scans, on TRON, where a block is
 * up to two requests of the 100,000 that TronGrid allows, one and a quarter.
 */
const MOST_BLOCKS_A_DAY: Record<NetworkFamily, number> = { evm: 40_000, tron: 20_000, solana: 40_000 };
/** The clocks of a chain and of this service differ by less. */
const CLOCK_MARGIN_SECONDS = 120;
/** A re-scan that found nothing is followed by another comparison after so long. */
const AFTER_RESCAN_MILLISECONDS = 60_000;
/** An endpoint that could not answer is asked again after so long, for at most an hour (rows.ts). */
const AGAIN_MILLISECONDS = 60_000;

/** Reads the next window that is due. False when none is. */
export async function rescanNext(context: Context, chain: FollowedChain, row: ChainRow): Promise<boolean> {
  const now = context.clock.now();
  const rescan = await takeRescan(context.pool, { chain, chainId: row.id, now });
  if (!rescan) return false;
  try {
    const read = await readNext(context, chain, row, rescan);
    if (read === null) {
      const failure = 'The blocks that re-scans may read one by one in a day are read.';
      await postponeRescan(context.pool, row.id, { sessionId: rescan.sessionId, failure, until: nextDay(now), now });
      context.log.error({ ...about(chain), session: rescan.sessionId }, `the re-scan waits for tomorrow: ${failure}`);
      return true;
    }
    const { readThrough, found } = read;
    // What the endpoint does not know yet it may know a minute later.
    const isOver = readThrough >= rescan.goal && found === 0;
    const nextAt = new Date(now.getTime() + (isOver ? AFTER_RESCAN_MILLISECONDS : 0));
    await keepRescan(context.pool, row.id, { ...rescan, readThrough, nextAt });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (error.fault === 'too_large' && rescan.windowBlocks > 1) {
      const windowBlocks = Math.floor(rescan.windowBlocks / 2);
      await keepRescan(context.pool, row.id, { ...rescan, windowBlocks, nextAt: now });
      return true;
    }
    const failed = { sessionId: rescan.sessionId, failure: error.message, now };
    if (error.fault === 'contradiction' && methodOf(rescan) === 'recipient') {
      await skipRescan(context.pool, row.id, failed);
      const message = `the re-scan goes on block by block: ${error.message}`;
      context.log.error({ ...about(chain), session: rescan.sessionId }, message);
      return true;
    }
    await failRescan(context.pool, row.id, { ...failed, nextAt: new Date(now.getTime() + AGAIN_MILLISECONDS) });
    context.log.warn({ ...about(chain), session: rescan.sessionId }, `the re-scan waits: ${error.message}`);
  }
  return true;
}

/** Receipts of a block show what is missing from them; a list of transfers does not. So a contradiction is settled by `blocks`. */
const methodOf = ({ rescans }: RunningRescan): RescanMethod => (rescans === 0 ? 'recipient' : 'blocks');

/** The start of the next UTC day, when the next day's blocks may be read. */
const nextDay = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));

/** Finds where the re-scan starts, or reads its next window. Null: the blocks of the day are read. */
async function readNext(
  context: Context,
  chain: FollowedChain,
  row: ChainRow,
  rescan: RunningRescan,
): Promise<{ readThrough: number; found: number } | null> {
  const { sessionId, address, goal, readThrough: after } = rescan;
  const method = methodOf(rescan);
  const span = method === 'recipient' ? longestScan(chain.spec.family) : MOST_BLOCKS_ONE_BY_ONE;
  if (after === null) return { readThrough: await startOf(chain, rescan, span), found: 0 };
  const most = method === 'blocks' ? Math.min(rescan.windowBlocks, ONE_BY_ONE_WINDOW) : rescan.windowBlocks;
  // Where a network is read by account, one look at the address covers all of its history.
  const from = chain.adapter.readsBlocks ? after + 1 : goal;
  const to = chain.adapter.readsBlocks ? Math.min(goal, after + most) : goal;
  const isOneByOne = chain.adapter.readsBlocks && (method === 'blocks' || chain.spec.family !== 'evm');
  const taken = { chainId: row.id, blocks: to - from + 1, most: MOST_BLOCKS_A_DAY[chain.spec.family] };
  if (isOneByOne && !(await takeBlocks(context.pool, { ...taken, now: context.clock.now() }))) return null;
  const found = await rescanWindow(context, chain, row, { from, to, method, sessionId, address });
  if (found.length > 0) {
    // Where a network is read by account, a scan reads some of the addresses, and the payment may have been due in a later one.
    const level = chain.adapter.readsBlocks ? 'error' : 'warn';
    context.log[level](
      { ...about(chain), from, to, sessions: found },
      'a re-scan found transfers that were not stored',
    );
  }
  return { readThrough: to, found: found.length };
}

/** Takes blocks off what the re-scans of a chain may read one by one today. False when too few are left. */
async function takeBlocks(
  pool: Pool,
  { chainId, blocks, most, now }: { chainId: number; blocks: number; most: number; now: Date },
): Promise<boolean> {
  const used = `CASE WHEN rescan_day = ($2::timestamptz AT TIME ZONE 'UTC')::date THEN rescan_blocks ELSE 0 END + $3::int`;
  const { rowCount } = await pool.query({
    name: 'balance-rescan-blocks',
    text: `UPDATE balance_rounds SET rescan_day = ($2::timestamptz AT TIME ZONE 'UTC')::date, rescan_blocks = ${used}
           WHERE chain_id = $1 AND ${used} <= $4`,
    values: [chainId, now, blocks, most],
  });
  return rowCount === 1;
}

/** The last block before the session was created, at most `most` blocks below the goal. */
async function startOf(chain: FollowedChain, { goal, createdAt }: RunningRescan, most: number): Promise<number> {
  if (!chain.adapter.readsBlocks) return goal - 1;
  const least = Math.max(0, goal - most);
  const isBefore = async (number: number): Promise<boolean> => {
    const block = await chain.adapter.block(number);
    if (!block) throw new ChainError('unavailable', `no endpoint has block ${number}`);
    return block.time < createdAt - CLOCK_MARGIN_SECONDS;
  };
  let before = goal;
  for (let step = 256; before > least && !(await isBefore(before)); step *= 2) before = Math.max(least, before - step);
  let after = goal;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (await isBefore(middle)) before = middle;
    else after = middle;
  }
  return before;
}

const about = ({ environment, network }: FollowedChain) => ({ environment, network });
