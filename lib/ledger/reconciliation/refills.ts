// What the ledger says about the refund wallet, apart from sweeps into it. A reading of the wallet's balance may contain sweeps
// that the watcher has not found yet, and the ledger may have sweeps of later blocks. So both are compared by what sweeps had
// brought up to the block of the reading. All of it is one statement: the booking of a sweep falls before or after it as a whole.

import { FAMILIES } from '@/lib/networks/families/family';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Db } from '@/lib/platform/database/db';
import { REFUND_WALLET } from '@/lib/ledger/postings';

export type WalletBooks = {
  /** The ledger's balance in base units, without the sweeps into the wallet, and into former refund wallets, on this chain. */
  readonly withoutRefills: bigint;
  /** What sweeps brought up to each requested block, booked or not, as far as they are stored. */
  readonly refilledBy: readonly bigint[];
  /** Whether any sweep into the wallet is stored. */
  readonly hasRefills: boolean;
  /** The block up to which the watcher has found every transfer out of a deposit address. */
  readonly completeTo: number;
};

type WalletAsset = {
  readonly chain: Pick<FollowedChain, 'environment' | 'network' | 'spec'>;
  readonly chainId: number;
  readonly wallet: string;
  readonly currency: string;
};

export async function readWalletBooks(
  db: Db,
  { chain, chainId, wallet, currency }: WalletAsset,
  blocks: readonly number[] = [],
): Promise<WalletBooks> {
  const { environment, network, spec } = chain;
  const { rows } = await db.query<{
    without: string;
    sums: string[] | null;
    has_refills: boolean;
    complete_to: string;
  }>({
    name: 'reconcile-wallet-books',
    text: `WITH refill AS (SELECT amount, block_number, is_refill FROM outgoing_transfers
             WHERE chain_id = $3 AND currency = $5 AND (is_refill OR booked_at IS NULL) AND (is_refill OR recipient = $6))
           SELECT (coalesce((SELECT amount FROM ledger_balances
                 WHERE environment = $1::"Environment" AND account = $4 AND network = $2 AND currency = $5), 0)
               - coalesce((SELECT sum(amount) FROM refill WHERE is_refill), 0))::text AS without,
             (SELECT array_agg(coalesce((SELECT sum(amount) FROM refill WHERE block_number <= of.block), 0)::text ORDER BY of.place)
               FROM unnest($7::bigint[]) WITH ORDINALITY AS of (block, place)) AS sums,
             EXISTS (SELECT FROM refill) AS has_refills,
             (SELECT CASE WHEN $8 THEN least(final_number, coalesce(accounts_read_from, -1)) ELSE final_number END::text
               FROM chains WHERE id = $3) AS complete_to`,
    values: [
      environment,
      network,
      chainId,
      REFUND_WALLET,
      currency,
      FAMILIES[spec.family].storedAddress(wallet),
      blocks,
      spec.family === 'solana',
    ],
  });
  const [row] = rows;
  return {
    withoutRefills: BigInt(row?.without ?? 0),
    refilledBy: (row?.sums ?? []).map(BigInt),
    hasRefills: row?.has_refills ?? false,
    completeTo: Number(row?.complete_to ?? -1),
  };
}
