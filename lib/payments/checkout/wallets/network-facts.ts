// Facts of a network for payers who choose one: its fee, and the time until a payment counts. The usual fee of the networks table is
// used only when the endpoints have not reported a recent one (fee-step.ts).

import type { UsualFee as Fee } from '@/lib/networks/network-spec';
import { networkFacts, type NetworkSpec } from '@/lib/networks/networks';
import { decimalToText, type Decimal } from '@/lib/money/amounts';

/** Seconds between blocks of the sandbox's chains (sandbox/chains). */
const LOCAL_BLOCK_SECONDS = 0.5;

/** The last fee that the network's endpoints reported, and when (Unix seconds). */
export type ReportedFee = { readonly fee: string | null; readonly fee_read_at: number | null };

/** The fee of a payment: the recent reported one, or the usual one; null when neither is known. */
export function feeOf(network: string, reported: ReportedFee | undefined, now: number): Fee | null {
  const facts = networkFacts(network);
  if (!facts) return null;
  if (!reported || reported.fee === null || reported.fee_read_at === null) return facts.usualFee;
  if (now - reported.fee_read_at > FEE_SECONDS) return facts.usualFee;
  return { from: decimalToText(roundedUp({ units: BigInt(reported.fee), digits: facts.coin.decimals })), to: null };
}

/** At least three times the interval of fee-step.ts. */
const FEE_SECONDS = 900;
const FIGURES = 3;

/** Rounds up to three figures, so that the page never shows less than the cost. */
function roundedUp({ units, digits }: Decimal): Decimal {
  const step = 10n ** BigInt(Math.max(0, units.toString().length - FIGURES));
  return { units: ((units + step - 1n) / step) * step, digits };
}

/** Seconds between blocks of this chain. */
export const blockSeconds = ({ blockMs, chain }: Pick<NetworkSpec, 'blockMs' | 'chain'>): number =>
  chain === 'local' ? LOCAL_BLOCK_SECONDS : blockMs / 1000;

/** The usual seconds from the first block of a payment until it counts. */
export const secondsToConfirm = (spec: Pick<NetworkSpec, 'blockMs' | 'chain' | 'confirmations'>): number =>
  spec.confirmations * blockSeconds(spec);

/** A wait for display: rounded up to five seconds below a minute, otherwise to whole minutes. */
export function displayedWait(seconds: number): { readonly unit: 'seconds' | 'minutes'; readonly count: number } {
  const rounded = Math.max(FEWEST_SECONDS, Math.ceil(seconds / STEP_SECONDS) * STEP_SECONDS);
  return rounded < MINUTE
    ? { unit: 'seconds', count: rounded }
    : { unit: 'minutes', count: Math.ceil(seconds / MINUTE) };
}

const MINUTE = 60;
const STEP_SECONDS = 5;
/** The page polls every two seconds, so it cannot keep a shorter promise. */
const FEWEST_SECONDS = 5;

/** The one network that is cheaper than every other offered, or null when that depends on prices or there is no choice. */
export function cheapestOf(networks: readonly string[]): string | null {
  if (networks.length < 2) return null;
  return networks.find((one) => networks.every((other) => other === one || isCheaper(one, other))) ?? null;
}

const isCheaper = (one: string, other: string): boolean => networkFacts(one)?.cheaperThan.includes(other) ?? false;

/** The one network on which a payment counts first, or null when they tie or there is no choice. */
export function fastestOf(
  specs: readonly Pick<NetworkSpec, 'network' | 'blockMs' | 'chain' | 'confirmations'>[],
): string | null {
  const waits = specs.map((spec) => ({ network: spec.network, seconds: secondsToConfirm(spec) }));
  const [first, second] = waits.toSorted((a, b) => a.seconds - b.seconds);
  return first && second && first.seconds < second.seconds ? first.network : null;
}
