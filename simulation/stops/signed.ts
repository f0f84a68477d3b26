// What the worker asked the signer to sign for refunds, payouts and cold transfers, each with what stood in its way at that moment, by the
// records of people and the answers of the screening.

import type { SignParams } from '@/lib/signer/orders';
import { callOf, type SignCall } from '@/simulation/payouts/signed';
import { pauseKey, type Paused, type StopRecords } from './records';

/** What was so when the call began. */
type StopFacts = { readonly isPaused: boolean } & Pick<StopRecords, 'hits' | 'unknown'>;

export type GuardedCall = SignCall & { readonly kind: Paused; readonly stops: StopFacts };
export type StopLook = (of: { readonly kind: Paused; readonly network: string }) => StopFacts;

export const lookAtNothing: StopLook = () => ({ isPaused: false, hits: new Set(), unknown: new Set() });

export const stopLook =
  ({ records: { stops } }: { readonly records: { readonly stops: StopRecords } }): StopLook =>
  ({ kind, network }) => ({
    ...{ isPaused: stops.paused.has(pauseKey(kind, network)), hits: stops.hits, unknown: stops.unknown },
  });

const KINDS: Readonly<Record<SignParams['order']['evidence']['kind'], Paused>> = {
  payer: 'refunds',
  claim: 'refunds',
  payout: 'payouts',
  cold: 'cold_transfers',
};

/** The call as it begins; null when it has no order. */
export function guardedCallOf(params: unknown, at: number, look: StopLook): GuardedCall | null {
  const evidence = (params as Partial<SignParams>).order?.evidence;
  const call = evidence ? callOf(params, evidence.kind, at) : null;
  if (!evidence || !call) return null;
  const kind = KINDS[evidence.kind];
  return { ...call, kind, stops: look({ kind, network: call.network }) };
}
