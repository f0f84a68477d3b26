// What a payer wants to know of a network before choosing it: what its fee usually comes to, and how long it takes until a
// payment counts. Figures of chains.md sections 1.3 and 3; the fee only where its endpoints did not tell it lately (lib/payments/checkout/wallets). A
// network that was only just added to the table shows none until it has a row here.

import { COINS, type Coin } from '@/lib/networks/coins';
import type { NetworkSpec } from '@/lib/networks/networks';
import { decimalToText, type Decimal } from '@/lib/money/amounts';

/** What a token transfer to a new address usually costs, in the coin as decimal text; one figure or a span. */
export type Fee = { readonly from: string; readonly to: string | null };

export type NetworkFacts = {
  readonly coin: Coin;
  readonly fee: Fee;
  /** Networks whose transfers cost more at any prices and any load of these years. */
  readonly cheaperThan: readonly string[];
  /** Seconds between blocks on its public chains. */
  readonly blockSeconds: number;
};

// Receiving addresses are new ones, so the dearer case holds: 63,000 gas on EVM networks, 130,285 energy and 345 bytes on
// TRON, and on Solana the rent of a token account beside the signature.
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

/** Seconds between blocks of the sandbox's chains (sandbox/chains): all of them are quick. */
const LOCAL_BLOCK_SECONDS = 0.5;

/** The facts of a network, or null when there are none. */
export const networkFacts = (network: string): NetworkFacts | null =>
  (Object.hasOwn(FACTS, network) && FACTS[network]) || null;

/** What the network's endpoints told last, and when (Unix seconds). */
export type ReportedFee = { readonly fee: string | null; readonly fee_read_at: number | null };

/** What a payment costs: as the endpoints told it lately, else as it usually is; null when neither is known. */
export function feeOf(network: string, told: ReportedFee | undefined, now: number): Fee | null {
  const facts = networkFacts(network);
  if (!facts) return null;
  if (!told || told.fee === null || told.fee_read_at === null || now - told.fee_read_at > FEE_SECONDS) return facts.fee;
  return { from: decimalToText(roundedUp({ units: BigInt(told.fee), digits: facts.coin.decimals })), to: null };
}

/** At least three times as long as it takes to be told anew (lib/payments/checkout/wallets/fee-step). */
const FEE_SECONDS = 900;
const FIGURES = 3;

/** To three figures, upwards, so that nobody is told less than it costs. */
function roundedUp({ units, digits }: Decimal): Decimal {
  const step = 10n ** BigInt(Math.max(0, units.toString().length - FIGURES));
  return { units: ((units + step - 1n) / step) * step, digits };
}

/** Seconds between blocks of this very chain; null when they are not known. */
export function blockSeconds({ network, chain }: Pick<NetworkSpec, 'network' | 'chain'>): number | null {
  if (chain === 'local') return LOCAL_BLOCK_SECONDS;
  return networkFacts(network)?.blockSeconds ?? null;
}

/** Seconds until a payment counts as a rule, from its first block on; null when they are not known. */
export function secondsToConfirm(spec: Pick<NetworkSpec, 'network' | 'chain' | 'confirmations'>): number | null {
  const seconds = blockSeconds(spec);
  return seconds === null ? null : spec.confirmations * seconds;
}

/** A wait as people say it: in steps of five seconds below a minute, else in whole minutes, never less than it is. */
export function saidWait(seconds: number): { readonly unit: 'seconds' | 'minutes'; readonly count: number } {
  const rounded = Math.max(FEWEST_SECONDS, Math.ceil(seconds / STEP_SECONDS) * STEP_SECONDS);
  return rounded < MINUTE
    ? { unit: 'seconds', count: rounded }
    : { unit: 'minutes', count: Math.ceil(seconds / MINUTE) };
}

const MINUTE = 60;
const STEP_SECONDS = 5;
/** The page asks every two seconds, so that less than this would be a promise that it cannot keep. */
const FEWEST_SECONDS = 5;

/** The one network that is cheaper than every other offered, or null when that depends on prices or there is no choice. */
export function cheapestOf(networks: readonly string[]): string | null {
  if (networks.length < 2) return null;
  return networks.find((one) => networks.every((other) => other === one || beats(one, other))) ?? null;
}

const beats = (one: string, other: string): boolean => networkFacts(one)?.cheaperThan.includes(other) ?? false;

/** The one network on which a payment counts first, or null when they tie, one is not known, or there is no choice. */
export function fastestOf(specs: readonly Pick<NetworkSpec, 'network' | 'chain' | 'confirmations'>[]): string | null {
  const waits = specs.map((spec) => ({ network: spec.network, seconds: secondsToConfirm(spec) }));
  if (waits.length < 2 || waits.some(({ seconds }) => seconds === null)) return null;
  const [first, second] = waits.toSorted((a, b) => (a.seconds ?? 0) - (b.seconds ?? 0));
  return first && second && (first.seconds ?? 0) < (second.seconds ?? 0) ? first.network : null;
}
