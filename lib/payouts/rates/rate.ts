// What a payout costs its store: the operator's fee, and the price of the network by the operator's rule. Pure. Amounts in cents.

type ByNetwork = Readonly<Record<string, bigint>>;

type Fees = {
  /** Hundredths of a percent of the amount that arrives. */
  readonly basisPoints: bigint;
  readonly fixed: bigint;
  /** The least fee. */
  readonly minimum: bigint;
};

/** What an operator decides. A network is in one of the two maps; the operator pays the network cost of the others. */
export type RateTerms = Fees & {
  /** Fixed prices. */
  readonly networkCosts: ByNetwork;
  /** The most that a store pays where payouts cost what they cost the operator (at-cost.ts). */
  readonly atCost: ByNetwork;
};

/** Fees with the price of each network now. A network without a price costs nothing. */
export type PricedFees = Fees & { readonly prices: ByNetwork };

/** The version that a payout keeps is `id`. */
export type PayoutRate = RateTerms & PricedFees & { readonly id: string };

/** Bounds against mistyped rates; the database has them too. */
export const MAX_BASIS_POINTS = 1000;
export const MAX_RATE_CENTS = 10_000;

const WHOLE = 10_000n;

export type Costs = { readonly fee: bigint; readonly networkCost: bigint };

/** The part in basis points is rounded down to the cent, in favor of the store. Without a rate nothing is charged. */
export function costsOf(rate: PricedFees | null, { network, amount }: { network: string; amount: bigint }): Costs {
  if (!rate) return { fee: 0n, networkCost: 0n };
  const fee = (amount * rate.basisPoints) / WHOLE + rate.fixed;
  return { fee: fee > rate.minimum ? fee : rate.minimum, networkCost: networkCostOf(rate, network) };
}

/** The largest amount that a balance covers together with its costs; 0 or less when it covers not even the costs. */
export function mostPayable(
  rate: PricedFees | null,
  { network, available }: { network: string; available: bigint },
): bigint {
  if (!rate) return available;
  const afterNetwork = available - networkCostOf(rate, network);
  const atMinimum = afterNetwork - rate.minimum;
  const byShare = mostByShare(afterNetwork - rate.fixed, rate.basisPoints);
  return atMinimum < byShare ? atMinimum : byShare;
}

/** The largest amount that together with its rounded share is at most `total`. The quotient is one cent too small at most. */
function mostByShare(total: bigint, basisPoints: bigint): bigint {
  if (total < 0n) return total;
  const least = (total * WHOLE) / (WHOLE + basisPoints);
  const next = least + 1n;
  return next + (next * basisPoints) / WHOLE <= total ? next : least;
}

const networkCostOf = ({ prices }: PricedFees, network: string): bigint => prices[network] ?? 0n;

/** Whether a payout may cost more by `after` than by `before`: some part of it is higher. Null is free. */
export function isDearer(before: RateTerms | null, after: RateTerms | null): boolean {
  if (!after) return false;
  if (!before) return isDearer(FREE, after);
  const networks = new Set([after.networkCosts, after.atCost].flatMap((one) => Object.keys(one)));
  return (
    (['basisPoints', 'fixed', 'minimum'] as const).some((part) => after[part] > before[part]) ||
    [...networks].some((network) => isNetworkDearer(before, after, network))
  );
}

const FREE: RateTerms = { basisPoints: 0n, fixed: 0n, minimum: 0n, networkCosts: {}, atCost: {} };

/** A fixed price may be above what the payouts really cost, so only the price at cost with the same bound or a lower one is no dearer. */
function isNetworkDearer(before: RateTerms, after: RateTerms, network: string): boolean {
  const [fixed, bound] = [before.networkCosts[network] ?? 0n, before.atCost[network] ?? 0n];
  if ((after.networkCosts[network] ?? 0n) > fixed) return true;
  return (after.atCost[network] ?? 0n) > (fixed > bound ? fixed : bound);
}
