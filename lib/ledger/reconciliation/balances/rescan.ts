// One window of the re-scan of a deposit address whose balance differs from its stored transfers. The first re-scan
// requests all transfers to the address. The second reads each block individually, in case an endpoint's range
// responses are wrong. The database stores the position, so any process can continue.

import { ChainError, type NetworkFamily, type RescanMethod } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import type { ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { rescanWindow } from '@/lib/payments/watcher/backfill/rescan';
import { failRescan, storeRescanPosition, postponeRescan, skipRescan, takeRescan, type RunningRescan } from './rows';

/** Maximum blocks when each costs a request: two hours of the fastest network that is read by blocks (BSC). */
const MAX_BLOCKS_ONE_BY_ONE = 16_000;
/** Maximum blocks when two thousand cost a request: a month of the same network. */
const MAX_BLOCKS = 6_000_000;
/** The maximum number of blocks of a re-scan by `recipient`. */
export const longestScan = (family: NetworkFamily): number => (family === 'evm' ? MAX_BLOCKS : MAX_BLOCKS_ONE_BY_ONE);
/** Blocks read individually per window; their receipts are up to a megabyte each. */
const ONE_BY_ONE_WINDOW = 10;
/**
 * Daily limit of individually read blocks for all re-scans of a network. On BSC it covers two and a half whole
 * re-scans. On TRON it covers one and a quarter: a block takes up to two of the 100,000 requests that TronGrid allows.
 */
const MAX_BLOCKS_A_DAY: Record<NetworkFamily, number> = { evm: 40_000, tron: 20_000, solana: 40_000 };
/** Pause before the next comparison after a re-scan that found nothing. */
const AFTER_RESCAN_MILLISECONDS = 60_000;
/** Pause before a failed endpoint is tried again, for at most an hour (rows.ts). */
const RETRY_MILLISECONDS = 60_000;

/** Reads the next window that is due. False when none is. */
export async function rescanNext(context: Context, chain: FollowedChain, row: ChainRow): Promise<boolean> {
  const now = context.clock.now();
  const rescan = await takeRescan(context.pool, { chain, chainId: row.id, now });
  if (!rescan) return false;
  try {
    const read = await readNext(context, chain, row, rescan);
    if (read === null) {
      const failure = 'The daily limit of individually read blocks is reached.';
      await postponeRescan(context.pool, row.id, { sessionId: rescan.sessionId, failure, until: nextDay(now), now });
      context.log.error({ ...about(chain), session: rescan.sessionId }, `the re-scan waits for tomorrow: ${failure}`);
      return true;
    }
    const { readThrough, found } = read;
    // The endpoint may lag behind and know the transfer a minute later.
    const isOver = readThrough >= rescan.goal && found === 0;
    const nextAt = new Date(now.getTime() + (isOver ? AFTER_RESCAN_MILLISECONDS : 0));
    await storeRescanPosition(context.pool, row.id, { ...rescan, readThrough, nextAt });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (error.fault === 'too_large' && rescan.windowBlocks > 1) {
      const windowBlocks = Math.floor(rescan.windowBlocks / 2);
      await storeRescanPosition(context.pool, row.id, { ...rescan, windowBlocks, nextAt: now });
      return true;
    }
    const failed = { sessionId: rescan.sessionId, failure: error.message, now };
    if (error.fault === 'contradiction' && methodOf(rescan) === 'address') {
      await skipRescan(context.pool, row.id, failed);
      const message = `the re-scan continues block by block: ${error.message}`;
      context.log.error({ ...about(chain), session: rescan.sessionId }, message);
      return true;
    }
    await failRescan(context.pool, row.id, { ...failed, nextAt: new Date(now.getTime() + RETRY_MILLISECONDS) });
    context.log.warn({ ...about(chain), session: rescan.sessionId }, `the re-scan waits: ${error.message}`);
  }
  return true;
}

/**
 * A list of transfers can be incomplete unnoticed; the receipts of a block cannot. So a contradiction is settled by
 * `blocks`.
 */
const methodOf = ({ rescans }: RunningRescan): RescanMethod => (rescans === 0 ? 'address' : 'blocks');

/** The start of the next UTC day, when the next day's blocks may be read. */
const nextDay = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));

/** Finds the start of the re-scan, or reads its next window. Null when the daily limit of blocks is reached. */
async function readNext(
  context: Context,
  chain: FollowedChain,
  row: ChainRow,
  rescan: RunningRescan,
): Promise<{ readThrough: number; found: number } | null> {
  const { sessionId, address, goal, readThrough: after } = rescan;
  const method = methodOf(rescan);
  const span = method === 'address' ? longestScan(chain.spec.family) : MAX_BLOCKS_ONE_BY_ONE;
  if (after === null) return { readThrough: await startOf(chain, rescan, span), found: 0 };
  const most = method === 'blocks' ? Math.min(rescan.windowBlocks, ONE_BY_ONE_WINDOW) : rescan.windowBlocks;
  // On a network that is read by account, one request for the address covers all of its history.
  const from = chain.adapter.readsBlocks ? after + 1 : goal;
  const to = chain.adapter.readsBlocks ? Math.min(goal, after + most) : goal;
  const isOneByOne = chain.adapter.readsBlocks && (method === 'blocks' || chain.spec.family !== 'evm');
  const taken = { chainId: row.id, blocks: to - from + 1, most: MAX_BLOCKS_A_DAY[chain.spec.family] };
  if (isOneByOne && !(await takeBlocks(context.pool, { ...taken, now: context.clock.now() }))) return null;
  const found = await rescanWindow(context, chain, row, { from, to, method, sessionId, address });
  if (found.length > 0) {
    // On a network that is read by account, a scan covers some of the addresses, and a later scan may have found the
    // payment.
    const level = chain.adapter.readsBlocks ? 'error' : 'warn';
    context.log[level](
      { ...about(chain), from, to, sessions: found },
      'a re-scan found transfers that were not stored',
    );
  }
  return { readThrough: to, found: found.length };
}

/** Takes blocks from the daily limit of a chain's re-scans. False when too few are left. */
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
    return block.time < createdAt - chain.spec.blockTimeMarginSeconds;
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
