// Selects the database row of a followed chain: one row per genesis block. A chain with another genesis is a new chain with its
// own row. The former row is retired with all its data, and none of its blocks count as reorganised.

import type { BlockRef, ChainAdapter } from '@/lib/networks/chain';
import { ChainError } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { findChainRow, type ChainRow } from './chain-row';
import { orphanAbove } from '@/lib/payments/watcher/transfers/store';

/** Block producers set block times, so the first scan begins some time before the oldest pending session. */
const START_MARGIN_SECONDS = 300;

/** Makes sure that the chain behind the adapter has a row and is the followed one. Throws a ChainError when the endpoints do not report which chain they serve. */
export async function followChain(context: Context, chain: FollowedChain): Promise<ChainRow> {
  const genesis = await chain.adapter.genesis();
  const known = await findChainRow(context.pool, chain.environment, chain.network);
  if (known?.genesis === genesis) return known;
  const start = await startingBlock(context, chain);
  await transaction(context.pool, (tx) => startRow(tx, chain, { genesis, start, now: context.clock.now() }));
  context.log.info({ network: chain.network, environment: chain.environment, from: start.number }, 'following a chain');
  const row = await findChainRow(context.pool, chain.environment, chain.network);
  if (row?.genesis === genesis) return row;
  throw new ChainError('contradiction', 'the genesis block changed while the chain row was created');
}

/** The last final block before the oldest pending session could have been paid; without one, the last final block. */
export async function startingBlock(context: Context, { environment, adapter }: FollowedChain): Promise<BlockRef> {
  const { final } = await adapter.head();
  // On a network read by account, the first request for an account returns its whole history.
  if (!adapter.readsBlocks) return final;
  const { rows } = await context.pool.query<{ oldest: Date | null }>(
    `SELECT min(created_at) AS oldest FROM sessions WHERE status = 'pending' AND environment = $1::"Environment"`,
    [environment],
  );
  const oldest = rows[0]?.oldest;
  return oldest ? lastBefore(adapter, final, unixSeconds(oldest) - START_MARGIN_SECONDS) : final;
}

/**
 * The last block up to `final` that is older than `time`, or block 0. Steps back in doubling strides before the binary search,
 * so that it does not request old blocks from a pruned node.
 */
async function lastBefore(adapter: ChainAdapter, final: BlockRef, time: number): Promise<BlockRef> {
  if (final.time < time) return final;
  let above = final;
  let below = final;
  for (let stride = 64; below.time >= time && below.number > 0; stride *= 2) {
    above = below;
    below = await requireBlock(adapter, Math.max(0, below.number - stride));
  }
  while (above.number - below.number > 1) {
    const middle = await requireBlock(adapter, Math.floor((below.number + above.number) / 2));
    if (middle.time < time) below = middle;
    else above = middle;
  }
  return below;
}

async function requireBlock(adapter: ChainAdapter, number: number): Promise<BlockRef> {
  const block = await adapter.block(number);
  if (block) return block;
  throw new ChainError('unavailable', `no endpoint has block ${number}, from which scanning would start`);
}

/** Retires the row of another genesis and creates the row of this one, or resumes a retired row at its cursors. */
async function startRow(
  tx: Tx,
  { environment, network }: FollowedChain,
  { genesis, start, now }: { genesis: string; start: BlockRef; now: Date },
): Promise<void> {
  const retired = await tx.query<{ id: number; final_number: string }>(
    `UPDATE chains SET retired_at = $4, lease_until = NULL
      WHERE environment = $1::"Environment" AND network = $2 AND genesis <> $3 AND retired_at IS NULL
      RETURNING id, final_number`,
    [environment, network, genesis, now],
  );
  for (const row of retired.rows) await orphanAbove(tx, row.id, -1, now);
  await tx.query(
    `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time, scanned_at)
      VALUES ($1::"Environment", $2, $3, $4, $5, $4, $5, $6, $7)
      ON CONFLICT (environment, network, genesis) DO UPDATE SET retired_at = NULL`,
    [environment, network, genesis, start.number, start.hash, fromUnixSeconds(start.time), now],
  );
}
