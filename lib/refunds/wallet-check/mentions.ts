// Transactions on Solana that mention the refund wallet and that others signed. An endpoint shows who signed each of them, a limited number
// at a time. They are stored until the wallet is compared completely, so that processes that live for one run each make progress too. Only
// what the same endpoint showed counts. Otherwise a false report of one endpoint would count for another one after the operator reordered
// them. Only the worker may write it.

import type { OwnTransactionQuery } from '@/lib/networks/sending/send';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { BEHIND_SECONDS, type WalletChain } from './known';

export function storedMentions({ context: { pool }, chainId }: WalletChain): OwnTransactionQuery['mentions'] {
  return {
    async among(source, hashes) {
      const { rows } = await pool.query<{ hash: string }>({
        name: 'wallet-mentions-among',
        text: 'SELECT hash FROM wallet_mentions WHERE chain_id = $1 AND endpoint = $2 AND hash = ANY($3)',
        values: [chainId, source, hashes],
      });
      return new Set(rows.map(({ hash }) => hash));
    },
    async add(source, found) {
      await pool.query({
        name: 'wallet-mentions-add',
        text: `INSERT INTO wallet_mentions (chain_id, endpoint, hash, block_time)
               SELECT $1, $2, * FROM unnest($3::text[], $4::timestamptz[]) ON CONFLICT DO NOTHING`,
        values: [chainId, source, found.map(({ hash }) => hash), found.map(({ time }) => fromUnixSeconds(time))],
      });
    },
  };
}

/** Deletes those that no later comparison lists. */
export async function clearMentions({ context: { pool }, chainId }: WalletChain, through: Date): Promise<void> {
  await pool.query({
    name: 'wallet-mentions-clear',
    text: 'DELETE FROM wallet_mentions WHERE chain_id = $1 AND block_time < $2',
    values: [chainId, new Date(through.getTime() - BEHIND_SECONDS * 1000)],
  });
}
