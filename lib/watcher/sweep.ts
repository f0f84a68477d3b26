// The second pass (hardening 3.3): every final block is read once more, about an hour later at most, by another endpoint than
// the one that is usually asked. What the first pass missed is credited by the same idempotent store and reported; so is a
// stored transfer that the other endpoint does not know. It moves no cursor, and only works where two endpoints are configured.
// How far it is stands in the database (rescan-row), so that short passes of many processes get through it like one worker.

import { ChainError, type Scan } from '@/lib/chains/chain';
import type { OpenedChain } from '@/lib/chains/registry';
import type { Context, Step } from '@/lib/context';
import { openAddressBook, type AddressBook } from './addresses';
import { findChainRow, type ChainRow } from './chain-row';
import { credit } from './credit';
import { endRescan, takeRescan, type Rescan } from './rescan-row';
import { faster, nextWindow, slower } from './window';

export const SWEEP_EVERY_MS = 3_600_000;
/** Between two windows, whichever processes read them: with ten blocks a window, twice the pace of the fastest network. */
export const WINDOW_EVERY_MS = 2000;
/** A re-scan that could not go on tries again after so long. */
const RETRY_MS = 30_000;
/** More than an hour's blocks of the fastest network that is read by blocks (BSC, 8,000); older ones are let go. */
const MOST_BLOCKS = 10_000;
/** Stored transfers that are compared with what a window holds: the newest ones, so that the search is bounded. */
const NEWEST_TRANSFERS = 20_000;

/** The step of one chain: one window per run, so that a re-scan is spread over minutes and never competes with new blocks. */
export function sweepStep(chain: OpenedChain): Step {
  return async (context) => {
    if (!chain.adapter.readsBlocks || chain.endpoints.health().length < 2) return { more: false };
    const row = await findChainRow(context.pool, chain.environment, chain.network);
    const rescan = row && (await takeRescan(context.pool, row.id, context.clock.now()));
    if (!rescan) return { more: false };
    const { next, inMs } = await runTurn(context, chain, row, rescan);
    await endRescan(context.pool, next, new Date(context.clock.now().getTime() + inMs));
    return { more: false };
  };
}

/** Reads one window. Answers how far the re-scan is then, and when it goes on. */
async function runTurn(
  context: Context,
  chain: OpenedChain,
  row: ChainRow,
  rescan: Rescan,
): Promise<{ next: Rescan; inMs: number }> {
  const goal = rescan.goal ?? row.final.number;
  const after = Math.max(rescan.readThrough ?? 0, goal - MOST_BLOCKS, 0);
  const window = nextWindow(rescan.pace, { after, last: goal });
  if (!window) return { next: { ...rescan, readThrough: after, goal: null }, inMs: SWEEP_EVERY_MS };
  const blocks = window.to - window.from + 1;
  try {
    await sweepWindow(context, chain, row, window);
    return {
      next: { ...rescan, readThrough: window.to, goal, pace: faster(rescan.pace, blocks) },
      inMs: WINDOW_EVERY_MS,
    };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (error.fault === 'too_large' && blocks > 1) {
      return { next: { ...rescan, goal, pace: slower(rescan.pace, blocks) }, inMs: WINDOW_EVERY_MS };
    }
    context.log.warn({ ...about(chain), fault: error.fault }, `the re-scan waits: ${error.message}`);
    return { next: { ...rescan, goal }, inMs: RETRY_MS };
  }
}

type Window = { readonly from: number; readonly to: number };

async function sweepWindow(context: Context, chain: OpenedChain, row: ChainRow, window: Window): Promise<void> {
  const book = openAddressBook(context, chain, { row, openOnly: false, until: 0 });
  const scan = await chain.adapter.scan({ ...window, parentHash: null, final: true, second: true }, book.watch);
  const { number, hash } = scan.through;
  if (number === row.final.number && hash !== row.final.hash) {
    throw new ChainError('contradiction', `another endpoint has another final block ${number}`);
  }
  const missed = await creditMissed(context, chain, { row, scan, book });
  if (missed.length > 0) {
    context.log.error(
      { ...about(chain), ...window, sessions: missed },
      'the second pass found what the first one missed',
    );
  }
  const unknown = await strangers(context, row, window, scan);
  if (unknown.length > 0) {
    const told = 'another endpoint does not know transfers that were credited; look at both endpoints and at these';
    context.log.error({ ...about(chain), ...window, transactions: unknown }, told);
  }
}

/** Stores what was not known. Answers the sessions that got something by it. */
async function creditMissed(
  context: Context,
  chain: OpenedChain,
  { row, scan, book }: { row: ChainRow; scan: Scan; book: AddressBook },
): Promise<string[]> {
  if (scan.transfers.length === 0) return [];
  const sessions = await credit(context, chain, {
    step: `second pass ${chain.environment} ${chain.network}`,
    chainId: row.id,
    network: chain.network,
    finds: scan.transfers.map((found) => ({ ...found, sessionId: book.sessionOf(found.recipient) })),
    marks: [],
    through: null,
    hold: async (tx) => {
      const followed = await tx.query({
        name: 'sweep_followed',
        text: 'SELECT 1 FROM chains WHERE id = $1 AND retired_at IS NULL FOR SHARE',
        values: [row.id],
      });
      return followed.rowCount === 1;
    },
  });
  return sessions ?? [];
}

/** Stored transfers of the window that the scan does not hold, by their transactions' hashes. */
async function strangers(context: Context, row: ChainRow, window: Window, { transfers }: Scan): Promise<string[]> {
  const { rows } = await context.pool.query<{ transaction_hash: string; ordinal: number }>({
    name: 'sweep_stored',
    text: `SELECT transaction_hash, ordinal FROM transfers
      WHERE id > (SELECT COALESCE(max(id), 0) - $4 FROM transfers) AND chain_id = $1 AND block_number BETWEEN $2 AND $3`,
    values: [row.id, window.from, window.to, NEWEST_TRANSFERS],
  });
  const held = new Set(transfers.map(({ transactionHash, ordinal }) => `${transactionHash} ${ordinal}`));
  return rows
    .filter(({ transaction_hash: hash, ordinal }) => !held.has(`${hash} ${ordinal}`))
    .map(({ transaction_hash: hash }) => hash);
}

const about = ({ environment, network }: OpenedChain) => ({ environment, network });
