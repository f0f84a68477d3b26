// What was signed within an hour and a day, added up by the journal under the names of meters.

import type { Environment } from '@/lib/platform/ids';
import type { Evidence } from '@/lib/signer/attestations/refund-evidence';
import type { Spent } from './checkpoint';

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

/** Counts transactions, not cents. */
export const allowanceMeterOf = (chain: string): string => `allowances ${chain}`;

export const feeMeterOf = (chain: string): string => `fees ${chain}`;

const HOUR_MILLISECONDS = 3_600_000;
export const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/** What was spent by each meter within a day. */
export class Meters {
  /** Oldest first. */
  readonly all = new Map<string, Spent[]>();

  spend(meter: string, spent: Spent): void {
    const list = this.all.get(meter) ?? [];
    this.all.set(meter, list);
    while (list[0] && list[0].at <= spent.at - DAY_MILLISECONDS) list.shift();
    list.push(spent);
  }

  /** The sums within the hour and the day before a time in milliseconds. */
  before(meter: string, now: number): { readonly hour: bigint; readonly day: bigint } {
    const since = (time: number): bigint =>
      (this.all.get(meter) ?? []).reduce((sum, { at, cents }) => (at > time ? sum + cents : sum), 0n);
    return { hour: since(now - HOUR_MILLISECONDS), day: since(now - DAY_MILLISECONDS) };
  }
}
