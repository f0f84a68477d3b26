// What a sweep costs in cents, by the last price of the network's coin on which the sources agreed.

import { coinOf, type EvmSpec } from '@/lib/networks/networks';
import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import { divideUp, parseDecimal, type Decimal } from '@/lib/money/amounts';
import type { Db } from '@/lib/platform/database/db';

/** An older price says nothing about a fee. */
const PRICE_LASTS_MILLISECONDS = 24 * 3_600_000;

/** Dollars per coin; null while no price is known. */
export type Costs = { readonly price: Decimal | null; readonly decimals: number };

export async function openCosts(db: Db, { network }: EvmSpec, now: Date): Promise<Costs> {
  const coin = coinOf(network);
  const { rows } = await db.query<{ price: string }>({
    name: 'sweep-coin-price',
    text: 'SELECT price::text AS price FROM coin_prices WHERE coin = $1 AND agreed_at >= $2',
    values: [coin?.symbol ?? '', new Date(now.getTime() - PRICE_LASTS_MILLISECONDS)],
  });
  return { price: rows[0] ? parseDecimal(rows[0].price) : null, decimals: coin?.decimals ?? 0 };
}

/** Cents, rounded up. Null without a price: then only the network's own limits of prices apply. */
export function centsOf({ price, decimals }: Costs, wei: bigint): bigint | null {
  if (price === null) return null;
  return divideUp(wei * 100n * price.units, 10n ** BigInt(decimals + price.digits));
}

/** What a unit of gas will cost. The highest price allows for a base fee that doubles, and the half of that is the usual one. */
export const expectedPrice = ({ maxFeePerGas, maxPriorityFeePerGas }: Prices): bigint =>
  (maxFeePerGas + maxPriorityFeePerGas) / 2n;
