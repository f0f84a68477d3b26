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
  /** What sweeps brought up to each requested block, booked or not, as far as they are stored; zeros if none is requested. */
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

type Blocks = readonly [] | readonly [number, number, number];
const REFILLED_BY = [1, 2, 3].map(
  (place) => `coalesce(sum(amount) FILTER (WHERE block_number <= ($7::bigint[])[${place}]), 0)::text`,
);

export async function readWalletBooks(
  db: Db,
  { chain, chainId, wallet, currency }: WalletAsset,
  blocks: Blocks = [],
): Promise<WalletBooks> {
  const { environment, network, spec } = chain;
  const { rows } = await db.query<{
    without: string;
    sums: string[] | null;
    has_refills: boolean;
    complete_to: string;
  }>({
    name: 'reconcile-wallet-books',
    // One aggregate, so that PostgreSQL reads each sweep of the chain's history into the wallet once and stores none of them on disk.
    text: `SELECT (coalesce((SELECT amount FROM ledger_balances
                 WHERE environment = $1::"Environment" AND account = $4 AND network = $2 AND currency = $5), 0)
               - coalesce(sum(amount) FILTER (WHERE is_refill), 0))::text AS without,
             ARRAY[${REFILLED_BY.join(', ')}] AS sums,
             count(*) > 0 AS has_refills,
             (SELECT CASE WHEN $8 THEN least(final_number, coalesce(accounts_read_from, -1)) ELSE final_number END::text
               FROM chains WHERE id = $3) AS complete_to
           FROM outgoing_transfers
           WHERE chain_id = $3 AND currency = $5 AND (is_refill OR booked_at IS NULL) AND (is_refill OR recipient = $6)`,
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
