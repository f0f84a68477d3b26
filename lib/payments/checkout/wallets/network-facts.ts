// Facts of a network for payers who choose one: its usual fee, and the time until a payment counts. The fixed fees are used only when
// the endpoints have not reported a recent fee (fee-step.ts). A network without a row here shows none.

import { COINS, type Coin } from '@/lib/networks/coins';
import type { NetworkSpec } from '@/lib/networks/networks';
import { decimalToText, type Decimal } from '@/lib/money/amounts';

/** The usual cost of a token transfer to a new address, in the coin as decimal text; one figure or a range. */
export type Fee = { readonly from: string; readonly to: string | null };

export type NetworkFacts = {
  readonly coin: Coin;
  readonly fee: Fee;
  /** Networks whose transfers cost more at all prices and loads of recent years. */
  readonly cheaperThan: readonly string[];
  /** Seconds between blocks on its public chains. */
  readonly blockSeconds: number;
};

// Deposit addresses are new, so the more expensive case applies: 63,000 gas on EVM networks, 130,285 energy and 345 bytes on TRON,
// and on Solana the rent of a token account in addition to the signature fee.
const FACTS: Readonly<Record<string, NetworkFacts>> = {
  // At 0.5 to 20 gwei.
  ethereum: { coin: COINS.ethereum, fee: { from: '0.00003', to: '0.0013' }, cheaperThan: [], blockSeconds: 12 },
  // At the validators' floor of 0.05 gwei and at the 0.2 gwei that some wallets offer.
  bsc: {
    coin: COINS.bsc,
    fee: { from: '0.000003', to: '0.00002' },
    cheaperThan: ['ethereum', 'tron', 'solana'],
    blockSeconds: 0.45,
  },
  // 100 sun for each unit of energy, when none is staked.
  tron: {
    coin: COINS.tron,
    fee: { from: '13.4', to: null },
    cheaperThan: [],
    blockSeconds: 3,
  },
  solana: {
    coin: COINS.solana,
    fee: { from: '0.0015', to: null },
    cheaperThan: ['tron'],
    blockSeconds: 0.4,
  },
};

/** Seconds between blocks of the sandbox's chains (sandbox/chains). */
const LOCAL_BLOCK_SECONDS = 0.5;

/** The facts of a network, or null when there are none. */
export const networkFacts = (network: string): NetworkFacts | null =>
  (Object.hasOwn(FACTS, network) && FACTS[network]) || null;

/** The last fee that the network's endpoints reported, and when (Unix seconds). */
export type ReportedFee = { readonly fee: string | null; readonly fee_read_at: number | null };

/** The fee of a payment: the recent reported one, or the usual one; null when neither is known. */
export function feeOf(network: string, reported: ReportedFee | undefined, now: number): Fee | null {
  const facts = networkFacts(network);
  if (!facts) return null;
  if (!reported || reported.fee === null || reported.fee_read_at === null) return facts.fee;
  if (now - reported.fee_read_at > FEE_SECONDS) return facts.fee;
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

/** Seconds between blocks of this chain; null when unknown. */
export function blockSeconds({ network, chain }: Pick<NetworkSpec, 'network' | 'chain'>): number | null {
  if (chain === 'local') return LOCAL_BLOCK_SECONDS;
  return networkFacts(network)?.blockSeconds ?? null;
}

/** The usual seconds from the first block of a payment until it counts; null when unknown. */
export function secondsToConfirm(spec: Pick<NetworkSpec, 'network' | 'chain' | 'confirmations'>): number | null {
  const seconds = blockSeconds(spec);
  return seconds === null ? null : spec.confirmations * seconds;
}

/** A wait for display: rounded up to five seconds below a minute, otherwise to whole minutes. */
export function saidWait(seconds: number): { readonly unit: 'seconds' | 'minutes'; readonly count: number } {
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
  return networks.find((one) => networks.every((other) => other === one || beats(one, other))) ?? null;
}

const beats = (one: string, other: string): boolean => networkFacts(one)?.cheaperThan.includes(other) ?? false;

/** The one network on which a payment counts first, or null when they tie, one is unknown, or there is no choice. */
export function fastestOf(specs: readonly Pick<NetworkSpec, 'network' | 'chain' | 'confirmations'>[]): string | null {
  const waits = specs.map((spec) => ({ network: spec.network, seconds: secondsToConfirm(spec) }));
  if (waits.length < 2 || waits.some(({ seconds }) => seconds === null)) return null;
  const [first, second] = waits.toSorted((a, b) => (a.seconds ?? 0) - (b.seconds ?? 0));
  return first && second && (first.seconds ?? 0) < (second.seconds ?? 0) ? first.network : null;
}
