// What a sweep costs in cents, by the last price of the network's coin on which the sources agreed.

import { coinOf, type NetworkSpec } from '@/lib/networks/networks';
import { divideUp, parseDecimal, type Decimal } from '@/lib/money/amounts';
import type { Db } from '@/lib/platform/database/db';

/** An older price says nothing about a fee. */
const PRICE_LASTS_MILLISECONDS = 24 * 3_600_000;

/** Dollars per coin; null while no price is known. */
export type Costs = { readonly price: Decimal | null; readonly decimals: number };

export async function openCosts(db: Db, { network }: Pick<NetworkSpec, 'network'>, now: Date): Promise<Costs> {
  const coin = coinOf(network);
  const { rows } = await db.query<{ price: string }>({
    name: 'sweep-coin-price',
    text: 'SELECT price::text AS price FROM coin_prices WHERE coin = $1 AND agreed_at >= $2',
    values: [coin?.symbol ?? '', new Date(now.getTime() - PRICE_LASTS_MILLISECONDS)],
  });
  return { price: rows[0] ? parseDecimal(rows[0].price) : null, decimals: coin?.decimals ?? 0 };
}

/** Cents of an amount in the coin's smallest unit, rounded up. Null without a price: then only the network's own limits of prices apply. */
export function centsOf({ price, decimals }: Costs, amount: bigint): bigint | null {
  if (price === null) return null;
  return divideUp(amount * 100n * price.units, 10n ** BigInt(decimals + price.digits));
}
