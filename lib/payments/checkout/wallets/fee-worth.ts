// Converts a network's fee into the currency of the order, so that customers and the page can compare networks.

import { minorDigits } from '@/lib/money/currencies';
import { divideUp, minorUnitsToText, parseDecimal } from '@/lib/money/amounts';
import type { CheckoutFacts } from '@/lib/payments/checkout/facts';
import type { UsualFee as Fee } from '@/lib/networks/network-spec';
import { coinOf } from '@/lib/networks/networks';
import { cheapestOf } from './network-facts';

/** A fee in the coin, and in the order's currency where the coin's price is known. */
export type ShownFee = Fee & { readonly worth: Worth | null };

/** In minor units of the order's currency, rounded up. `to`: the upper end of a range; null for one figure. */
export type Worth = { readonly from: bigint; readonly to: bigint | null; readonly digits: number };

type Order = Pick<CheckoutFacts, 'currency' | 'exchange_rate' | 'coin_prices'>;

/** USDT and USDC are no currencies of ISO 4217, but have cents as USD does. */
const CENT_DIGITS = 2;

/** Adds the worth of a fee in the order currency. Coin prices older than a day are not used (facts.ts). */
export function withWorth(network: string, fee: Fee, order: Order): ShownFee {
  const symbol = coinOf(network)?.symbol;
  const price = symbol === undefined ? undefined : order.coin_prices?.[symbol];
  if (price === undefined) return { ...fee, worth: null };
  const digits = minorDigits(order.currency) ?? CENT_DIGITS;
  const [from, to] = [fee.from, fee.to].map((one) => one && worthOf(one, price, order.exchange_rate ?? '1', digits));
  return { ...fee, worth: typeof from === 'bigint' ? { from, to: typeof to === 'bigint' ? to : null, digits } : null };
}

/** Coins times dollars per coin, divided by the dollars per unit of the order's currency. */
function worthOf(coins: string, dollars: string, rate: string, digits: number): bigint | null {
  const [fee, price, per] = [parseDecimal(coins), parseDecimal(dollars), parseDecimal(rate)];
  if (!fee || !price || !per || per.units === 0n) return null;
  const over = fee.units * price.units * 10n ** BigInt(digits + per.digits);
  return divideUp(over, per.units * 10n ** BigInt(fee.digits + price.digits));
}

/** The worth as decimal text, one for each end. */
export const worthTexts = ({ from, to, digits }: Worth): readonly string[] =>
  (to === null || to === from ? [from] : [from, to]).map((units) => minorUnitsToText(units, digits));

/**
 * The network that is cheaper than every other: by the worth of the fees if it is known for all, otherwise by the fixed ranking. Null
 * when two are equal, when nothing is known, or when there is no choice.
 */
export function cheapestByWorth(networks: readonly string[], fees: ReadonlyMap<string, ShownFee>): string | null {
  if (networks.length < 2) return null;
  const worths = networks.flatMap((network) => {
    const worth = fees.get(network)?.worth;
    return worth ? [{ network, most: worth.to ?? worth.from }] : [];
  });
  if (worths.length < networks.length) return cheapestOf(networks);
  const [first, second] = worths.toSorted((one, other) => Number(one.most - other.most));
  return first && second && first.most < second.most ? first.network : cheapestOf(networks);
}
