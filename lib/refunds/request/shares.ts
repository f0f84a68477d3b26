// What each payer of a session gets back when the merchant refunds all of them: a part of the refund in proportion to what they paid and
// have not got back yet, and never more than that. Pure.

/** What one payer paid in one token on one network. `remaining`: whole cents that were not refunded to them yet, zero or more. */
export type PayerPart = {
  readonly network: string;
  readonly currency: string;
  readonly address: string;
  readonly remaining: bigint;
};

export type Share = PayerPart & { readonly cents: bigint };

/**
 * Splits an amount in cents. Each share is rounded down to the cent. The remaining cents go one each to the payers who lost most by
 * rounding; among equals the first payer goes first. Omits payers whose share is zero. Null when the payers paid less than the amount.
 */
export function sharesOf(amount: bigint, parts: readonly PayerPart[]): readonly Share[] | null {
  const all = parts.reduce((total, { remaining }) => total + remaining, 0n);
  if (amount > all) return null;
  const floored = parts.map((part) => ({
    ...part,
    cents: (amount * part.remaining) / all,
    lost: (amount * part.remaining) % all,
  }));
  const remaining = amount - floored.reduce((total, { cents }) => total + cents, 0n);
  const byLoss = floored.toSorted((one, other) => (one.lost === other.lost ? 0 : one.lost > other.lost ? -1 : 1));
  const raised = new Set(byLoss.slice(0, Number(remaining)));
  return floored
    .map(({ lost: _, ...share }, index) => {
      const isRaised = raised.has(floored[index] as (typeof floored)[number]);
      return { ...share, cents: share.cents + (isRaised ? 1n : 0n) };
    })
    .filter(({ cents }) => cents > 0n);
}
