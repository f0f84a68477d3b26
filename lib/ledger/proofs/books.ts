// What a proof takes from the database: the final block of each chain, what deposit addresses hold at it, and what is owed to each store.
// All of it is read from one snapshot, so a payment is in both what is held and what is owed, or in neither.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { IS_COIN_ACCOUNT } from '@/lib/ledger/postings';
import { DELIVERED, deliveredTo } from './reserves';
import { deliveryWallets } from '@/lib/networks/direct-settlement';
import { openSnapshot } from '@/lib/platform/database/snapshot';
import type { Environment } from '@/lib/platform/ids';
import type { StoreDebt } from './liabilities';

/** A million accounts are summed in seconds. */
const LIMITS = { idle: 10_000, whole: 120_000 };

export type ChainBlock = {
  readonly chainId: number;
  readonly network: string;
  readonly genesis: string;
  readonly number: number;
  readonly hash: string;
};

export type AssetBooks = {
  readonly network: string;
  readonly currency: string;
  /** At deposit addresses. */
  readonly deposits: bigint;
  /** Swept to the merchant's own wallets, by direct settlement. */
  readonly delivered: bigint;
  readonly debts: readonly StoreDebt[];
};

export type Books = {
  /** When the snapshot began, by the clock of the process. */
  readonly at: Date;
  readonly chains: readonly ChainBlock[];
  /** The tokens that are held or owed. */
  readonly assets: readonly AssetBooks[];
};

/** Throws if the debts of the stores are not what the ledger owes. */
export async function readBooks(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  of: Environment,
): Promise<Books> {
  const { db, end } = await openSnapshot(pool, LIMITS);
  try {
    // The first query takes the snapshot.
    const chains = await readChains(db, of);
    const at = clock.now();
    const [deposits, debts, owed] = [await readDeposits(db, of), await readDebts(db, of), await readOwed(db, of)];
    const delivered = await readDelivered(db, of, config);
    const assets = new Map<string, AssetBooks & { debts: StoreDebt[] }>();
    const assetOf = ({ network, currency }: { readonly network: string; readonly currency: string }) => {
      const found = assets.get(`${network} ${currency}`) ?? {
        network,
        currency,
        deposits: 0n,
        delivered: 0n,
        debts: [],
      };
      assets.set(`${network} ${currency}`, found);
      return found;
    };
    for (const row of debts) assetOf(row).debts.push(storeDebt(row));
    for (const row of deposits)
      assets.set(`${row.network} ${row.currency}`, { ...assetOf(row), deposits: BigInt(row.amount) });
    for (const row of delivered)
      assets.set(`${row.network} ${row.currency}`, { ...assetOf(row), delivered: BigInt(row.amount) });
    for (const row of owed) {
      const sum = assetOf(row).debts.reduce((all, one) => all + sumOf(one), 0n);
      if (sum !== BigInt(row.amount))
        throw new Error(
          `the stores are owed ${sum} ${row.currency} on ${row.network}, and the ledger says ${row.amount}`,
        );
    }
    return { at, chains, assets: [...assets.values()] };
  } finally {
    await end();
  }
}

const sumOf = ({ available, unresolved, refunds, payouts }: StoreDebt): bigint =>
  available + unresolved + refunds + payouts;

/** The final block of each chain, outside a snapshot too. */
export async function readChains(db: Db, environment: Environment): Promise<readonly ChainBlock[]> {
  const { rows } = await db.query<Omit<ChainBlock, 'number'> & { readonly number: string }>({
    name: 'reserve-chains',
    text: `SELECT id AS "chainId", network, genesis, final_number::text AS number, final_hash AS hash FROM chains
           WHERE environment = $1::"Environment" AND retired_at IS NULL ORDER BY network`,
    values: [environment],
  });
  return rows.map((row) => ({ ...row, number: Number(row.number) }));
}

type Sum = { readonly network: string; readonly currency: string; readonly amount: string };

async function readDeposits(db: Db, environment: Environment): Promise<readonly Sum[]> {
  const { rows } = await db.query<Sum>({
    name: 'reserve-deposits',
    text: `SELECT c.network, d.currency, sum(d.amount)::text AS amount FROM deposit_balances d JOIN chains c ON c.id = d.chain_id
           WHERE c.environment = $1::"Environment" AND c.retired_at IS NULL GROUP BY 1, 2`,
    values: [environment],
  });
  return rows;
}

async function readDelivered(db: Db, environment: Environment, config: Context['config']): Promise<readonly Sum[]> {
  const { rows } = await db.query<Sum>({
    name: 'reserve-delivered',
    text: `SELECT network, currency, amount::text AS amount FROM (${DELIVERED}) AS delivered`,
    values: deliveredTo(environment, deliveryWallets(config, environment)),
  });
  return rows;
}

type DebtRow = Omit<Sum, 'amount'> & {
  readonly store_id: string;
  readonly available: string;
  readonly unresolved: string;
  readonly refunds: string;
  readonly payouts: string;
};

const storeDebt = ({ store_id: storeId, available, unresolved, refunds, payouts }: DebtRow): StoreDebt => ({
  storeId,
  available: BigInt(available),
  unresolved: BigInt(unresolved),
  refunds: BigInt(refunds),
  payouts: BigInt(payouts),
});

const sumOfKinds = (...kinds: readonly string[]): string =>
  `(-coalesce(sum(amount) FILTER (WHERE split_part(account, ':', 1) IN ('${kinds.join("', '")}')), 0))::text`;

async function readDebts(db: Db, environment: Environment): Promise<readonly DebtRow[]> {
  const { rows } = await db.query<DebtRow>({
    name: 'reserve-debts',
    text: `SELECT split_part(account, ':', 2) AS store_id, network, currency, ${sumOfKinds('store')} AS available,
             ${sumOfKinds('unresolved', 'quarantined')} AS unresolved, ${sumOfKinds('refund')} AS refunds, ${sumOfKinds('payout')} AS payouts
           FROM ledger_balances WHERE environment = $1::"Environment"
             AND split_part(account, ':', 1) IN ('store', 'unresolved', 'refund', 'payout', 'quarantined') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    values: [environment],
  });
  return rows;
}

/** The same by another way: everything that is neither held by the operator nor the operator's own. */
async function readOwed(db: Db, environment: Environment): Promise<readonly Sum[]> {
  const { rows } = await db.query<Sum>({
    name: 'reserve-owed',
    text: `SELECT network, currency, (-sum(amount))::text AS amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND account LIKE '%:%'
             AND NOT ${IS_COIN_ACCOUNT} GROUP BY 1, 2`,
    values: [environment],
  });
  return rows;
}
