// The watcher's MAC over a transfer that a test inserts into the database, with the key of the signer's scene.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { Pool } from '@/lib/platform/database/db';
import { transferMac, type TransferFacts } from '@/lib/signer/attestations/payer-evidence';

/** EVIDENCE_KEY of testing/signer/signer-scene. */
export const WATCHER_KEY = [Buffer.alloc(32, 3)] as const;

type Inserted = Pick<
  TransferFacts,
  'network' | 'sessionId' | 'transactionHash' | 'blockTime' | 'currency' | 'payer' | 'amount' | 'decimals'
> &
  Partial<Pick<TransferFacts, 'recipient'>>;

/** Of a test transfer as these tests insert it: by default the first of block 50, from contract 0xc to 0xr. */
export async function macOfTransfer(
  pool: Pool,
  chainId: number | undefined,
  { recipient = '0xr', ...inserted }: Inserted,
): Promise<Buffer> {
  const { rows } = await pool.query<{ genesis: string }>('SELECT genesis FROM chains WHERE id = $1', [chainId]);
  return transferMac(WATCHER_KEY, {
    ...inserted,
    environment: 'test',
    genesis: rows[0]?.genesis ?? '',
    ...{ ordinal: 0, blockNumber: 50, blockHash: '0xb', contract: '0xc', recipient, isPlain: null },
  });
}

/** The deposit address of a session on one of its networks. */
export async function depositAddressOf(pool: Pool, sessionId: string, family: NetworkFamily): Promise<string> {
  const { rows } = await pool.query<{ address: string }>(
    `SELECT ${family}_address AS address FROM sessions WHERE id = $1`,
    [sessionId],
  );
  return rows[0]?.address ?? '';
}
