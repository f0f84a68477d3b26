// The names under which the journal adds up what was signed within an hour and a day.

import type { Environment } from '@/lib/platform/ids';
import type { Evidence } from '@/lib/signer/attestations/refund-evidence';

/**
 * `refunds`: all of them. `claims`: only those to an address that a customer gave and two operators did not approve.
 * `payouts`: what stores were paid. `cold`: what went to cold wallets.
 */
export type Meter = {
  readonly of: 'refunds' | 'claims' | 'payouts' | 'cold';
  readonly environment: Environment;
  readonly currency: string;
  readonly isRepeated: boolean;
};

/** The meter that a payment counts against. */
export const METER_OF = {
  payer: 'refunds',
  claim: 'refunds',
  payout: 'payouts',
  cold: 'cold',
} as const satisfies Record<Evidence['kind'], Meter['of']>;

/** Journals of former versions have these names in their checkpoints. */
const METER_SUFFIX = { refunds: '', claims: ' claim', payouts: ' payout', cold: ' cold' } as const satisfies Record<
  Meter['of'],
  string
>;
export const meterOf = ({ environment, currency, isRepeated, of }: Meter): string =>
  `${environment} ${currency}${isRepeated ? ' repeated' : ''}${METER_SUFFIX[of]}`;

export const feeMeterOf = (chain: string): string => `fees ${chain}`;
