// Reads what the treasury wallet of a network holds, for the proof of reserves. It is the operator's own wallet: what leaves it is not
// explained by the ledger, so nothing is compared and nothing stops. The refund wallet, where it is the treasury, is compared by
// itself (wallet.ts) and not read here, or reserves would count it twice; a former treasury is read then.

import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import type { FollowedChain } from '@/lib/networks/registry';
import { REFUND_WALLET_NAME } from '@/lib/networks/refund-wallet-name';
import {
  resolveTreasuries,
  treasuryWallets,
  type RefundWallets,
  type TreasuryWallet,
} from '@/lib/networks/treasury-wallets';
import type { Context } from '@/lib/platform/context';
import type { Lease } from './rows';

export type TreasuryRun = {
  readonly chain: FollowedChain;
  readonly lease: Pick<Lease, 'chainId'>;
  readonly reader: BalanceReader;
  /** Null without a signer in this process. */
  readonly signer: { readonly state: () => Promise<{ readonly wallets: RefundWallets }> } | null;
  /** Whether the endpoints still serve the chain of this run. */
  readonly isSameChain: () => Promise<boolean>;
};

/** Stores the balance of each token. A balance without enough agreement stays as it was. Throws a ChainError. */
export async function readTreasury({ pool, clock, config }: Context, run: TreasuryRun): Promise<void> {
  const { chain, lease, reader, signer, isSameChain } = run;
  const named = treasuryWallets(config.TREASURY_WALLETS).filter(
    ({ spec }) => spec.network === chain.spec.network && spec.chain === chain.spec.chain,
  );
  if (named.length === 0 || !(await isSameChain())) return;
  const wallets = signer
    ? resolveTreasuries(named, (await signer.state()).wallets).filter(({ isRefundWallet }) => !isRefundWallet)
    : await withoutRefundWallet(pool, lease.chainId, named);
  const address = wallets[0]?.address ?? null;
  if (address === null) return forgetTreasury(pool, lease.chainId);
  for (const currency of Object.keys(chain.spec.tokens)) {
    const held = (await reader.tokens([{ address }], currency)).get(address);
    if (held === undefined) continue;
    await pool.query({
      name: 'treasury-balance-keep',
      text: `INSERT INTO treasury_balances (chain_id, currency, address, amount, block_number, read_at) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (chain_id, currency) DO UPDATE SET address = EXCLUDED.address, amount = EXCLUDED.amount,
               block_number = EXCLUDED.block_number, read_at = EXCLUDED.read_at`,
      values: [lease.chainId, currency, address, held.amount.toString(), held.through.number, clock.now()],
    });
  }
}

/** For a process without a signer: the readings of another one say which wallet is the refund wallet. */
async function withoutRefundWallet(
  pool: Context['pool'],
  chainId: number,
  named: readonly TreasuryWallet[],
): Promise<readonly TreasuryWallet[]> {
  const { rows } = await pool.query<{ address: string }>({
    name: 'treasury-refund-wallets',
    text: 'SELECT DISTINCT address FROM wallet_balances WHERE chain_id = $1',
    values: [chainId],
  });
  const own = new Set([REFUND_WALLET_NAME, ...rows.map(({ address }) => address)]);
  return named.filter(({ address }) => !own.has(address));
}

async function forgetTreasury(pool: Context['pool'], chainId: number): Promise<void> {
  await pool.query({
    name: 'treasury-balance-forget',
    text: 'DELETE FROM treasury_balances WHERE chain_id = $1',
    values: [chainId],
  });
}
