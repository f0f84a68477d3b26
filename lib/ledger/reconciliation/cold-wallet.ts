// Reads what the cold wallet of a network holds, for the proof of reserves. What the operator moves from there is not in the ledger, so
// nothing is compared and nothing stops, as with the treasury wallet.

import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import type { FollowedChain } from '@/lib/networks/registry';
import { coldWallets, isSameChain } from '@/lib/networks/wallet-levels';
import type { Context } from '@/lib/platform/context';
import type { Lease } from './rows';

export type ColdWalletRun = {
  readonly chain: FollowedChain;
  readonly lease: Pick<Lease, 'chainId'>;
  readonly reader: BalanceReader;
  /** Whether the endpoints still serve the chain of this run. */
  readonly isSameChain: () => Promise<boolean>;
};

/** Stores the balance of each token. A balance without enough agreement stays as it was, unless it is of another wallet. Throws a ChainError. */
export async function readColdWallet({ pool, clock, config }: Context, run: ColdWalletRun): Promise<void> {
  const { chain, lease, reader } = run;
  const wallet = coldWallets(config.COLD_WALLETS).find(({ spec }) => isSameChain(spec, chain.spec));
  await pool.query({
    name: 'cold-balance-forget',
    text: 'DELETE FROM cold_balances WHERE chain_id = $1 AND address IS DISTINCT FROM $2',
    values: [lease.chainId, wallet?.address ?? null],
  });
  if (!wallet || !(await run.isSameChain())) return;
  const { address } = wallet;
  for (const currency of Object.keys(chain.spec.tokens)) {
    const held = (await reader.tokens([{ address }], currency)).get(address);
    if (held === undefined) continue;
    await pool.query({
      name: 'cold-balance-keep',
      text: `INSERT INTO cold_balances (chain_id, currency, address, amount, block_number, read_at) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (chain_id, currency) DO UPDATE SET address = EXCLUDED.address, amount = EXCLUDED.amount,
               block_number = EXCLUDED.block_number, read_at = EXCLUDED.read_at`,
      values: [lease.chainId, currency, address, held.amount.toString(), held.through.number, clock.now()],
    });
  }
}
