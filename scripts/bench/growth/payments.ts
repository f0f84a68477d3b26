// Pays sessions as the watcher does once it has verified final transfers.

import { createHash } from 'node:crypto';
import { findChainRow, type ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { credit } from '@/lib/payments/watcher/transfers/credit';
import { chainOf, type Side } from './side';

/** The network that is paid on. */
export const NETWORK = 'ethereum';
const CURRENCY = 'USDT';
const HOUR_SECONDS = 3600;

export async function chainRow({ context: { pool } }: Side, network = NETWORK): Promise<ChainRow> {
  const row = await findChainRow(pool, 'test', network);
  if (!row) throw new Error(`${network} is not followed`);
  return row;
}

/** Stores a transfer of the price to each pending session, posts it and settles the session, in one transaction. */
export async function payFor(side: Side, ids: readonly string[]): Promise<void> {
  const chain = chainOf(side, NETWORK);
  const { id: chainId } = await chainRow(side);
  const token = chain.spec.tokens[CURRENCY];
  if (!token) throw new Error(`${CURRENCY} is not on ${NETWORK}`);
  const { rows } = await side.context.pool.query<{ id: string; address: string; due: string }>({
    name: 'bench-paid',
    text: 'SELECT id, evm_address AS address, amount_due AS due FROM sessions WHERE id = ANY ($1)',
    values: [ids],
  });
  const blockTime = Math.floor(Date.now() / 1000) - HOUR_SECONDS;
  const credited = await credit(side.context, chain, {
    ...{ step: 'bench', chainId, network: NETWORK, outgoing: [], cursors: [], through: null },
    hold: async () => true,
    foundTransfers: rows.map(({ id, address, due }) => ({
      sessionId: id,
      transactionHash: `0x${digest(id)}`,
      ...{ ordinal: 0, blockNumber: 1, blockHash: `0x${digest('block')}`, blockTime },
      ...{ currency: CURRENCY, contract: token.contract, isPlain: true },
      payer: `0x${digest(`payer ${id}`).slice(0, 40)}`,
      recipient: address,
      amount: BigInt(due) * 10n ** BigInt(token.decimals - 2),
    })),
  });
  if (credited?.length !== ids.length) throw new Error(`${credited?.length} of ${ids.length} payments were credited`);
}

/** 64 hexadecimal digits that look random. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
