// What the ledger says is owed and held now, read from the balances that the database keeps beside the postings. A store's
// money is told by token and network; the operator's view adds up all stores and shows what is held against it.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { COST_RECOVERY, OPERATOR, RECEIVED, REFUND_WALLET } from './postings';
import type { DecimalsOf } from './sources';

/** Exact base units of the token, and its whole cents; a fraction of a cent is left out of those. */
export type Amount = { readonly baseUnits: bigint; readonly cents: bigint };

/** What a store has of one token on one network. */
export type StoreBalance = {
  readonly network: string;
  readonly currency: string;
  /** What the store may dispose of: refunds are taken from it. */
  readonly available: Amount;
  /** What reached its sessions but counts for nothing until somebody decides. */
  readonly unresolved: Amount;
  /** What is set apart for refunds that have not arrived yet. */
  readonly setApart: Amount;
};

/** All of an environment's money of one token on one network: held on the left, owed on the right. */
export type WalletBalance = {
  readonly network: string;
  readonly currency: string;
  /** At receiving addresses. */
  readonly received: Amount;
  /** In the wallet that refunds are paid from; less than nothing while the operator's money was not counted in yet. */
  readonly refundWallet: Amount;
  /** Owed to stores, to be decided about, and set apart for refunds. */
  readonly available: Amount;
  readonly unresolved: Amount;
  readonly setApart: Amount;
  /** What the operator put in, less what he took out, and what conversions of refunds brought or cost him. */
  readonly operator: Amount;
  /** Network costs of refunds that stores were charged: the operator's too. */
  readonly costRecovery: Amount;
};

/** A store's balances, one per token and network that it ever had anything of. */
export async function readStoreBalances(
  db: Db,
  { storeId, environment }: { readonly storeId: string; readonly environment: Environment },
  decimalsOf: DecimalsOf,
): Promise<StoreBalance[]> {
  const { rows } = await db.query<Row>({
    name: 'store-balances',
    text: `SELECT split_part(account, ':', 1) AS kind, network, currency, amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND account = ANY($2) ORDER BY network, currency`,
    values: [environment, ['store', 'unresolved', 'refund'].map((kind) => `${kind}:${storeId}`)],
  });
  return byAsset(rows).map(({ network, currency, sumOf }) => {
    const owed = (kind: string): Amount => amountOf(-sumOf(kind), decimalsOf({ network, currency }));
    return {
      network,
      currency,
      available: owed('store'),
      unresolved: owed('unresolved'),
      setApart: owed('refund'),
    };
  });
}

/** The balances of all accounts of an environment together, for the operator. */
export async function readWalletBalances(
  db: Db,
  environment: Environment,
  decimalsOf: DecimalsOf,
): Promise<WalletBalance[]> {
  const { rows } = await db.query<Row>({
    name: 'wallet-balances',
    text: `SELECT split_part(account, ':', 1) AS kind, network, currency, sum(amount) AS amount FROM ledger_balances
           WHERE environment = $1::"Environment" GROUP BY 1, 2, 3 ORDER BY network, currency`,
    values: [environment],
  });
  return byAsset(rows).map(({ network, currency, sumOf }) => {
    const amount = (units: bigint): Amount => amountOf(units, decimalsOf({ network, currency }));
    return {
      network,
      currency,
      received: amount(sumOf(RECEIVED)),
      refundWallet: amount(sumOf(REFUND_WALLET)),
      available: amount(-sumOf('store')),
      unresolved: amount(-sumOf('unresolved')),
      setApart: amount(-sumOf('refund')),
      operator: amount(-sumOf(OPERATOR)),
      costRecovery: amount(-sumOf(COST_RECOVERY)),
    };
  });
}

/** What the ledger says the refund wallet holds of a token, in base units. */
export async function readRefundWallet(
  db: Db,
  asset: { readonly environment: Environment; readonly network: string; readonly currency: string },
): Promise<bigint> {
  const { rows } = await db.query<{ amount: string }>({
    name: 'refund-wallet-balance',
    text: `SELECT amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND account = $2 AND network = $3 AND currency = $4`,
    values: [asset.environment, REFUND_WALLET, asset.network, asset.currency],
  });
  return BigInt(rows[0]?.amount ?? 0);
}

/** `kind` is the account without its store. Base units as text; what we hold is positive, what we owe negative. */
type Row = { readonly kind: string; readonly network: string; readonly currency: string; readonly amount: string };
type Asset = {
  readonly network: string;
  readonly currency: string;
  readonly sumOf: (kind: string) => bigint;
};

/** One per token and network, in the order of the rows. */
function byAsset(rows: readonly Row[]): Asset[] {
  const assets = new Map<string, { network: string; currency: string; sums: Map<string, bigint> }>();
  for (const { kind, network, currency, amount } of rows) {
    const asset = assets.get(`${network} ${currency}`) ?? { network, currency, sums: new Map<string, bigint>() };
    assets.set(`${network} ${currency}`, asset);
    asset.sums.set(kind, (asset.sums.get(kind) ?? 0n) + BigInt(amount));
  }
  return [...assets.values()].map(({ network, currency, sums }) => ({
    network,
    currency,
    sumOf: (kind) => sums.get(kind) ?? 0n,
  }));
}

const amountOf = (baseUnits: bigint, decimals: number): Amount => ({
  baseUnits,
  cents: baseUnitsToCents(baseUnits, decimals),
});
