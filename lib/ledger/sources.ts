// Chooses the assets of a session that a refund takes, and the network on which it is paid. Pure.

import { centsToBaseUnits, COMMON_DECIMALS, toCommon } from '@/lib/money/amounts';
import { isSameAsset, type AssetAmount } from './postings';

type Asset = { readonly network: string; readonly currency: string };

/** Decimals of a token on a network of the environment in question. */
export type DecimalsOf = (asset: Asset) => number;

/**
 * `takes`: the amounts taken from the store, in the assets that arrived. Amounts that are not in the paid asset have to
 * be converted.
 */
export type RefundPlan = { readonly network: string; readonly takes: readonly AssetAmount[] };

export type RequestedRefund = {
  readonly cents: bigint;
  readonly currency: string;
  /** Networks on which it can be paid in this currency, the preferred one first. */
  readonly networks: readonly string[];
};

/**
 * Takes a refund from the remaining amounts of its session, each asset up to the amount that arrived in it. If one
 * asset of the currency suffices, the refund is paid in it without conversion. Otherwise it is paid on the network with
 * the largest remaining amount: from that asset first, then from the same token on other networks, then from the other
 * token, largest first. Amounts below a cent come last, because anyone can send them, even of a token that cannot be
 * converted. Null if no network can pay it.
 */
export function planRefund(
  remaining: readonly AssetAmount[],
  { cents, currency, networks }: RequestedRefund,
  decimalsOf: DecimalsOf,
): RefundPlan | null {
  const due = (asset: Asset): bigint => centsToBaseUnits(cents, decimalsOf(asset));
  const amountOf = (network: string): bigint =>
    remaining.find((one) => isSameAsset(one, { network, currency }))?.amount ?? 0n;
  const alone = networks.find((network) => amountOf(network) >= due({ network, currency }));
  if (alone !== undefined) {
    const asset = { network: alone, currency };
    return { network: alone, takes: [{ ...asset, amount: due(asset) }] };
  }
  const value = (network: string): bigint => toCommon(amountOf(network), decimalsOf({ network, currency }));
  const network = networks.reduce((best, one) => (value(one) > value(best) ? one : best), networks[0] ?? '');
  if (network === '') return null;
  const takes = takeFrom(remaining, { network, currency }, { cents, decimalsOf });
  return takes && { network, takes };
}

const CENT = centsToBaseUnits(1n, COMMON_DECIMALS);

/** Null if all amounts together are not enough. */
function takeFrom(
  remaining: readonly AssetAmount[],
  paid: Asset,
  { cents, decimalsOf }: { readonly cents: bigint; readonly decimalsOf: DecimalsOf },
): readonly AssetAmount[] | null {
  const value = (one: AssetAmount): bigint => toCommon(one.amount, decimalsOf(one));
  const byNearness = remaining.toSorted(
    (one, other) =>
      Number(value(one) < CENT) - Number(value(other) < CENT) ||
      distance(one, paid) - distance(other, paid) ||
      (value(one) < value(other) ? 1 : -1),
  );
  const takes: AssetAmount[] = [];
  let missing = centsToBaseUnits(cents, COMMON_DECIMALS);
  for (const one of byNearness) {
    if (missing <= 0n) break;
    const unit = toCommon(1n, decimalsOf(one));
    // Rounded down to the asset's base unit. The operator bears the fraction, which stays with the store.
    const amount = value(one) < missing ? one.amount : missing / unit;
    missing -= value(one) < missing ? value(one) : missing;
    if (amount > 0n) takes.push({ network: one.network, currency: one.currency, amount });
  }
  return missing <= 0n ? takes : null;
}

function distance(one: Asset, paid: Asset): number {
  if (one.currency !== paid.currency) return one.network === paid.network ? 2 : 3;
  return one.network === paid.network ? 0 : 1;
}
