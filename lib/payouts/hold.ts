// What payouts leave in a store's balance: payments that are too young to be paid out, by the operator's setting, or whose senders have no
// answer of the screening yet, and the store's reserve for refunds. Refunds can take all of it.

import { readStoreBalances, type StoreBalance } from '@/lib/ledger/balances';
import { readHeld } from '@/lib/ledger/held';
import { isSameAsset, type AssetAmount } from '@/lib/ledger/postings';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { decimalsIn } from '@/lib/refunds/request/tokens';
import { screenedNetworks } from '@/lib/screening/policy';
import { readRefundReserves } from './reserve';

const HOUR_MILLISECONDS = 3_600_000;

type HoldScope = {
  readonly storeId: string;
  readonly environment: Environment;
  /** Of the store; 0 without a hold. */
  readonly hours: number;
  readonly now: Date;
};

/** Payments that were credited after it cannot be paid out yet; null without a hold. */
const heldSince = ({ hours, now }: Pick<HoldScope, 'hours' | 'now'>): Date | null =>
  hours === 0 ? null : new Date(now.getTime() - hours * HOUR_MILLISECONDS);

/** Base units of a token that cannot be paid out. */
export type Kept = { readonly pending: bigint; readonly reserve: bigint };

const heldIn = (config: Config, { environment, ...scope }: Pick<HoldScope, 'environment' | 'hours' | 'now'>) => ({
  since: heldSince(scope),
  now: scope.now,
  screened: screenedNetworks(config, environment, 'sender'),
});

/** Exact under the locks of the store and of its balances. */
export async function keptOf(
  db: Db,
  config: Config,
  scope: HoldScope,
  { decimals, ...asset }: Omit<AssetAmount, 'amount'> & { readonly decimals: number },
): Promise<Kept> {
  const { storeId, environment } = scope;
  const held = await readHeld(db, { storeId, environment, ...heldIn(config, scope) });
  const reserve = (await readRefundReserves(db, scope)).find((one) => isSameAsset(one, asset));
  return {
    pending: held.find((one) => isSameAsset(one, asset))?.amount ?? 0n,
    reserve: centsToBaseUnits(reserve?.cents ?? 0n, decimals),
  };
}

/** A store's balances for its pages. Both parts that payouts leave are apart from what is available. */
export async function balancesOf(
  { pool, config, clock }: Pick<Context, 'pool' | 'config' | 'clock'>,
  { storeId, environment, hours }: Omit<HoldScope, 'now'>,
): Promise<StoreBalance[]> {
  const decimalsOf = decimalsIn(config, environment);
  const reserves = await readRefundReserves(pool, { storeId, environment });
  return readStoreBalances(
    pool,
    {
      storeId,
      environment,
      held: heldIn(config, { environment, hours, now: clock.now() }),
      reserves: reserves.map(({ cents, ...asset }) => ({
        ...asset,
        amount: centsToBaseUnits(cents, decimalsOf(asset)),
      })),
    },
    decimalsOf,
  );
}
