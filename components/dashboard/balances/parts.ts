// The parts of a store's balance, in the order in which they are shown.

import type { MessageKey } from '@/components/ui/words';

export const BALANCE_PARTS = [
  'available',
  'pending',
  'kept',
  'unresolved',
  'reserved',
  'inPayout',
  'quarantined',
] as const;
export type BalancePart = (typeof BALANCE_PARTS)[number];

/** Exact decimal text. */
export type PartAmounts = Readonly<Record<BalancePart, string>>;

export const amountsOf = (amount: (part: BalancePart) => string): PartAmounts => ({
  available: amount('available'),
  pending: amount('pending'),
  kept: amount('kept'),
  unresolved: amount('unresolved'),
  reserved: amount('reserved'),
  inPayout: amount('inPayout'),
  quarantined: amount('quarantined'),
});

export const PART_NAMES = {
  available: 'balPart_available',
  pending: 'balPart_pending',
  kept: 'balPart_kept',
  unresolved: 'balPart_unresolved',
  reserved: 'balPart_reserved',
  inPayout: 'balPart_in_payout',
  quarantined: 'balPart_quarantined',
} as const satisfies Record<BalancePart, MessageKey>;
