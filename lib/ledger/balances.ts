// Amounts owed and held according to the ledger, read from the balances that the database keeps beside the postings. A
// store's balances are by token and network, and add up to what it was credited less what left. The operator's view sums
// all stores and shows the assets held against them.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { readHeld, type HeldScope } from './held';
import {
  COLD,
  COST_RECOVERY,
  FEES,
  IS_COIN_ACCOUNT,
  isSameAsset,
  OPERATOR,
  RECEIVED,
  REFUND_WALLET,
  TREASURY,
  type AssetAmount,
} from './postings';
import type { DecimalsOf } from './sources';

/** Exact base units of the token, and whole cents rounded down. */
type Amount = { readonly baseUnits: bigint; readonly cents: bigint };

/** A store's balance of one token on one network. */
export type StoreBalance = {
  readonly network: string;
  readonly currency: string;
  /** Refunds and payouts are taken from it. */
  readonly available: Amount;
  /** Too young to be paid out, or of senders whose screening has no answer yet. Refunds can take it. */
  readonly pending: Amount;
  /** The part of it that waits for the screening. */
  readonly unchecked: Amount;
  /** The store's reserve for refunds, as far as it is there. It is not paid out. */
  readonly kept: Amount;
  /** Received by its sessions, but without effect until the merchant decides. */
  readonly unresolved: Amount;
  /** Reserved for refunds that have not arrived yet. */
  readonly reserved: Amount;
  /** Reserved for payouts that have not arrived yet. */
  readonly inPayout: Amount;
  /** Of sessions with a hit of the screening. It is neither paid out nor refunded to others until operators release the hit. */
  readonly quarantined: Amount;
};

/** An environment's balance of one token on one network: assets and liabilities. */
export type WalletBalance = {
  readonly network: string;
  readonly currency: string;
  /** At deposit addresses. */
  readonly received: Amount;
  /** Swept to the treasury wallet; what the operator moves from there is not followed. */
  readonly treasury: Amount;
  /** Sent from the refund wallet to the cold wallet; what the operator moves from there is not followed. */
  readonly cold: Amount;
  /** In the refund wallet. Negative while the operator's own money is not booked yet. */
  readonly refundWallet: Amount;
  /** Owed to stores, unresolved, reserved for refunds and payouts, and frozen by hits of the screening. */
  readonly available: Amount;
  readonly unresolved: Amount;
  readonly reserved: Amount;
  readonly quarantined: Amount;
  /** The operator's deposits less withdrawals, plus the gains and losses from refund conversions. */
  readonly operator: Amount;
  /** Network costs of refunds and payouts charged to stores; they belong to the operator. */
  readonly costRecovery: Amount;
  /** The operator's fees of payouts. */
  readonly fees: Amount;
};

type StoreQuery = {
  readonly storeId: string;
  readonly environment: Environment;
  /** Which payments are pending. */
  readonly held: Omit<HeldScope, 'storeId' | 'environment'>;
  /** What payouts leave for refunds, in base units. */
  readonly reserves: readonly AssetAmount[];
};

/** A store's balances, one per token and network that it ever received. */
export async function readStoreBalances(
  db: Db,
  { storeId, environment, held: pendingOf, reserves }: StoreQuery,
  decimalsOf: DecimalsOf,
): Promise<StoreBalance[]> {
  const held = await readHeld(db, { ...pendingOf, storeId, environment });
  const { rows } = await db.query<Row>({
    name: 'store-balances',
    text: `SELECT split_part(account, ':', 1) AS kind, network, currency, amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND account = ANY($2) ORDER BY network, currency`,
    values: [
      environment,
      ['store', 'unresolved', 'refund', 'payout', 'quarantined'].map((kind) => `${kind}:${storeId}`),
    ],
  });
  return byAsset(rows).map(({ network, currency, sumOf }) => {
    const amount = (units: bigint): Amount => amountOf(units, decimalsOf({ network, currency }));
    const free = -sumOf('store');
    const waiting = held.find((one) => isSameAsset(one, { network, currency }));
    // If the balance is smaller than the waiting payments, the store has spent older money first, so all of the balance is pending.
    const pending = least(waiting?.amount ?? 0n, free);
    const reserve = reserves.find((one) => isSameAsset(one, { network, currency }));
    const kept = least(reserve?.amount ?? 0n, free - pending);
    return {
      network,
      currency,
      available: amount(free - pending - kept),
      pending: amount(pending),
      unchecked: amount(least(waiting?.unchecked ?? 0n, pending)),
      kept: amount(kept),
      unresolved: amount(-sumOf('unresolved')),
      reserved: amount(-sumOf('refund')),
      inPayout: amount(-sumOf('payout')),
      quarantined: amount(-sumOf('quarantined')),
    };
  });
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The balances of all accounts of tokens of an environment together, for the operator. */
export async function readWalletBalances(
  db: Db,
  environment: Environment,
  decimalsOf: DecimalsOf,
): Promise<WalletBalance[]> {
  const { rows } = await db.query<Row>({
    name: 'wallet-balances',
    text: `SELECT split_part(account, ':', 1) AS kind, network, currency, sum(amount) AS amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND NOT ${IS_COIN_ACCOUNT} GROUP BY 1, 2, 3 ORDER BY network, currency`,
    values: [environment],
  });
  return byAsset(rows).map(({ network, currency, sumOf }) => {
    const amount = (units: bigint): Amount => amountOf(units, decimalsOf({ network, currency }));
    return {
      network,
      currency,
      received: amount(sumOf(RECEIVED)),
      treasury: amount(sumOf(TREASURY)),
      cold: amount(sumOf(COLD)),
      refundWallet: amount(sumOf(REFUND_WALLET)),
      available: amount(-sumOf('store')),
      unresolved: amount(-sumOf('unresolved')),
      reserved: amount(-sumOf('refund') - sumOf('payout')),
      quarantined: amount(-sumOf('quarantined')),
      operator: amount(-sumOf(OPERATOR)),
      costRecovery: amount(-sumOf(COST_RECOVERY)),
      fees: amount(-sumOf(FEES)),
    };
  });
}

/** The refund wallet's balance of a token according to the ledger, in base units. */
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

/** `kind` is the account without its store. Base units as text; assets are positive, liabilities negative. */
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
