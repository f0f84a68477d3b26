// The unknown transactions that the refund wallet signed on TRON. java-tron does not list transactions by account. An account
// stores the time of its newest transaction, which is that of the block before it (latestOperationTime in BandwidthProcessor.java
// and EnergyProcessor.java). Payments and delegations from others do not change it. If nothing is newer than `since`, this one
// answer suffices; otherwise the blocks in between are read.

import { z } from 'zod';
import { ChainError, type BlockRef } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { OwnTransaction, OwnTransactionQuery, OwnTransactions } from '@/lib/networks/sending/send';
import { addressBytes, requestAddress } from '@/lib/networks/families/tron/address';
import { blocksAfter, lastBlockBefore } from './block-range';
import { readHead, type TronNode } from '@/lib/networks/families/tron/node';

/** The misspelling is java-tron's. Absent for an account that never signed anything. */
const account = z.object({ latest_opration_time: z.number().int().nonnegative().default(0) });

/** A transaction may land in the block after its expiration, and expirations are stored in whole seconds. */
const EXPIRY_MARGIN_SECONDS = 60;
/** Every node keeps blocks for longer. A node that lacks more recent ones lags behind the others at its URL. */
const KEPT_SECONDS = 600;
/** Tries until the block after the newest transaction: a block takes three seconds, or six if one is missed. */
const TRIES = 6;
const RETRY_MS = 1500;

/** One endpoint's report. Reads the newest state, final or not. Throws a ChainError. */
export async function tronUnknown(
  node: TronNode,
  spec: NetworkSpec,
  wallet: string,
  query: OwnTransactionQuery,
): Promise<OwnTransactions> {
  const { since } = query;
  const { final } = await readHead(node, spec);
  const report = { endpoint: node.name, unknown: [], from: since, through: final.time };
  const newest = await readNewest(node, wallet);
  if (newest === null || newest < since) return report;
  const head = await waitForBlockAfter(node, spec, newest);
  const expiry = await query.knownExpiry();
  // No known transaction can be this late. The blocks are not read: they may span a month.
  if (expiry === null || newest > expiry + EXPIRY_MARGIN_SECONDS) {
    return { ...report, unknown: [{ hash: null, time: newest }] };
  }
  const start = await lastBlockBefore(node, { side: 'wallet', head }, since - 1);
  if ('prunedUntil' in start) {
    if (start.prunedUntil > head.time - KEPT_SECONDS)
      throw new ChainError('unavailable', `${node.name} lacks its newest blocks`);
    return { ...report, from: Math.max(since, start.prunedUntil) };
  }
  const signed = await readSigned(node, { wallet, start, head, newest });
  const known = await query.known(signed.flatMap(({ hash }) => hash ?? []));
  return { ...report, unknown: signed.filter(({ hash }) => hash === null || !known.has(hash)) };
}

/** Unix seconds; null when the account never signed anything. */
async function readNewest(node: TronNode, wallet: string): Promise<number | null> {
  const body = { address: requestAddress(wallet) };
  const { latest_opration_time: milliseconds } = await node.client.request({
    side: 'wallet',
    api: 'getaccount',
    body,
    shape: account,
  });
  return milliseconds === 0 ? null : Math.floor(milliseconds / 1000);
}

/**
 * The node's newest block once it is later than `time`. An account also reflects the node's pool, and some nodes behind one URL
 * may lag. Throws `unavailable` if no such block comes: `time` may then be in the future.
 */
async function waitForBlockAfter(node: TronNode, spec: NetworkSpec, time: number): Promise<BlockRef> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await node.wait(RETRY_MS);
    const { tip } = await readHead(node, spec);
    if (tip.time > time) return tip;
  }
  const message = `${node.name} has no block after the newest transaction of the refund wallet`;
  throw new ChainError('unavailable', message, { demotes: false });
}

type Read = {
  readonly wallet: string;
  readonly start: BlockRef;
  readonly head: BlockRef;
  readonly newest: number;
};

/** The wallet's transactions in the blocks from `start` to the first one later than its newest transaction. */
async function readSigned(node: TronNode, { wallet, start, head, newest }: Read): Promise<readonly OwnTransaction[]> {
  const owner = addressBytes(wallet);
  const signed: OwnTransaction[] = [];
  for await (const { block, transactions } of blocksAfter(node, { side: 'wallet', head }, start)) {
    const own = transactions.filter((one) => one.owner === owner);
    signed.push(...own.map(({ id }) => ({ hash: id, time: block.time })));
    if (block.time > newest) break;
  }
  if (signed.some(({ time }) => time >= newest)) return signed;
  // It still waits in the node's pool, or another block replaced the one before which the account was read.
  const message = `${node.name} does not list the newest transaction of the refund wallet in a block`;
  throw new ChainError('unavailable', message, { demotes: false });
}
