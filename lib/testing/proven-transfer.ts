// Transfers for tests that the worker has proven, as the watcher stores them: the signer pays a payer back at most what they add up to.

import { randomUUID } from 'node:crypto';
import { fromUnixSeconds, unixSeconds } from '@/lib/clock';
import type { Pool } from '@/lib/db';
import { transferMac } from '@/lib/payer-evidence';
import { evidenceKey } from './signer-scene';

type Given = {
  readonly sessionId: string;
  readonly chainId: number;
  readonly network: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly now: Date;
  readonly hash?: string;
};

/** Stores a transfer of the session from the one payer that such sessions have. Returns its id. */
export async function insertProvenTransfer(
  pool: Pool,
  { sessionId, chainId, network, currency, amount, decimals, now, hash = `0x${randomUUID()}` }: Given,
): Promise<string> {
  const { rows: chains } = await pool.query<{ genesis: string }>('SELECT genesis FROM chains WHERE id = $1', [chainId]);
  const blockTime = unixSeconds(now);
  const mac = transferMac(evidenceKey, {
    ...{
      environment: 'test',
      network,
      genesis: chains[0]?.genesis ?? '',
      sessionId,
      transactionHash: hash,
      ordinal: 0,
    },
    ...{ blockNumber: 50, blockHash: '0xb', blockTime, currency, contract: '0xc' },
    ...{ payer: '0xp', recipient: '0xr', amount, decimals, isPlain: null },
  });
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals, mac)
     VALUES ($1, $2, $3, $4, 0, 50, '0xb', $5, $8, '0xc', '0xp', '0xr', $6, $7, $9) RETURNING id`,
    [chainId, network, sessionId, hash, fromUnixSeconds(blockTime), amount.toString(), decimals, currency, mac],
  );
  return rows[0]?.id ?? '';
}
