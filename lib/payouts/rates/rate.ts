// What a payout costs its store: the operator's fee, and a fixed price for the network. Pure. Amounts in cents.

/** The version that a payout keeps is `id`. */
export type PayoutRate = {
  readonly id: string;
  /** Hundredths of a percent of the amount that arrives. */
  readonly basisPoints: bigint;
  readonly fixed: bigint;
  /** The least fee. */
  readonly minimum: bigint;
  /** By network. The operator pays the network cost of the others. */
  readonly networkCosts: Readonly<Record<string, bigint>>;
};

export type RateTerms = Omit<PayoutRate, 'id'>;

/** Bounds against mistyped rates; the database has them too. */
export const MAX_BASIS_POINTS = 1000;
export const MAX_RATE_CENTS = 10_000;

const WHOLE = 10_000n;

export type Costs = { readonly fee: bigint; readonly networkCost: bigint };

/** The part in basis points is rounded down to the cent, in favor of the store. Without a rate nothing is charged. */
export function costsOf(rate: RateTerms | null, { network, amount }: { network: string; amount: bigint }): Costs {
  if (!rate) return { fee: 0n, networkCost: 0n };
  const fee = (amount * rate.basisPoints) / WHOLE + rate.fixed;
  return { fee: fee > rate.minimum ? fee : rate.minimum, networkCost: networkCostOf(rate, network) };
}

/** The largest amount that a balance covers together with its costs; 0 or less when it covers not even the costs. */
export function mostPayable(
  rate: RateTerms | null,
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

const networkCostOf = ({ networkCosts }: RateTerms, network: string): bigint => networkCosts[network] ?? 0n;
