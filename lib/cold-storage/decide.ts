// Whether some of a token goes to the cold wallet now, and how much. Pure.

import { baseUnitsToCents } from '@/lib/money/amounts';
import type { Levels } from '@/lib/networks/wallet-levels';
import type { Funds } from './funds';

/**
 * Why nothing goes to the cold wallet. `below_high`: the wallet has not more than its high-water mark, apart from what refunds and
 * payouts need. `not_read`: there is no recent reading of its balance. `discrepancy`: ledger and chain disagree about it.
 * `no_cold_wallet`: COLD_WALLETS names none. `signer_differs`: the signer has pinned another one, or none. `frozen`: the signer is
 * frozen, does not answer, or its journal and the database disagree. `paused`: an operator has paused such transfers. `limit`: the signer's limit leaves less than a cent. `failed`: the last transfer failed a short time ago.
 */
export const COLD_HOLDS = [
  'below_high',
  'not_read',
  'discrepancy',
  'no_cold_wallet',
  'signer_differs',
  'frozen',
  'paused',
  'limit',
  'failed',
] as const;
export type ColdHold = (typeof COLD_HOLDS)[number];

/** What may leave the wallet without touching what refunds and payouts need. */
export const freeOf = ({ balance, needed }: Funds): bigint => (balance ?? 0n) - needed;

/** Cents to move down to the target, at most `mostCents`; or why none are moved. Rounded down: the fraction of a cent stays. */
export function excessOf(
  { target, high, spec, currency }: Levels,
  funds: Funds | null,
  mostCents: bigint,
): { readonly cents: bigint } | { readonly hold: ColdHold } {
  if (!funds || funds.balance === null) return { hold: 'not_read' };
  if (funds.isDisputed) return { hold: 'discrepancy' };
  const free = freeOf(funds);
  if (free <= high) return { hold: 'below_high' };
  const excess = baseUnitsToCents(free - target, spec.tokens[currency]?.decimals ?? 0);
  const cents = excess < mostCents ? excess : mostCents;
  return cents > 0n ? { cents } : { hold: 'limit' };
}

/** Whether the wallet needs tokens: beside what refunds and payouts take, it has less than its low-water mark. False without a recent reading. */
export const isBelowLow = ({ low }: Pick<Levels, 'low'>, funds: Funds | null): funds is Funds =>
  funds !== null && funds.balance !== null && freeOf(funds) < low;

/** Whether a transfer that is not signed yet still leaves the low-water mark, beside what refunds and payouts need by now. */
export const isStillExcess = ({ low }: Pick<Levels, 'low'>, funds: Funds | null, amount: bigint): boolean =>
  funds !== null && funds.balance !== null && !funds.isDisputed && freeOf(funds) >= low + amount;
