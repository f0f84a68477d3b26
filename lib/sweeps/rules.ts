// When a deposit address is worth a sweep, and when a batch of them goes. Pure. Amounts are cents, times are milliseconds.

import type { NetworkSpec } from '@/lib/networks/networks';

export type SweepRules = {
  /** An address with less is dust until it is `patience` old. */
  readonly floor: bigint;
  /** An address must hold this many times what its sweep costs. */
  readonly multiple: bigint;
  /** A batch goes when it has this many addresses, or as many as one transaction takes. */
  readonly count: number;
  /** Or when it has this much. */
  readonly amount: bigint;
  /** Or when one of them could have been swept this long ago, or the refund wallet lacks its token. */
  readonly wait: number;
  /** From this age on an address may cost up to a fiftieth of what it holds. */
  readonly deadline: number;
};

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** After the deadline at most this part of the money goes into fees. */
const LATE_MULTIPLE = 50n;
/** Dust this old is swept if it is worth twice its fee. */
const PATIENCE = 30 * DAY;
const DUST_MULTIPLE = 2n;

const CHEAP: SweepRules = {
  floor: 100n,
  multiple: 50n,
  count: 50,
  amount: 200_000n,
  wait: 15 * MINUTE,
  deadline: 6 * HOUR,
};
const ETHEREUM: SweepRules = {
  floor: 500n,
  multiple: 100n,
  count: 50,
  amount: 500_000n,
  wait: HOUR,
  deadline: DAY,
};
/** A closed token account gives back more than its sweep costs, so only what cannot be shown in cents waits. */
const SOLANA: SweepRules = {
  floor: 1n,
  multiple: 0n,
  count: 6,
  amount: 100_000n,
  wait: 10 * MINUTE,
  deadline: 2 * HOUR,
};
/** The sponsor's stake pays for most. Each address is a transaction of its own, so a few are enough. */
const TRON: SweepRules = { floor: 500n, multiple: 50n, count: 10, amount: 200_000n, wait: HOUR, deadline: DAY };
/** A developer watches, and the coin has no price. */
const LOCAL: SweepRules = { ...CHEAP, floor: 1n, multiple: 0n, wait: 2000, deadline: 10_000 };

export function rulesOf({ chain, network }: Pick<NetworkSpec, 'chain' | 'network'>): SweepRules {
  if (chain === 'local') return LOCAL;
  if (network === 'solana') return SOLANA;
  if (network === 'tron') return TRON;
  return network === 'ethereum' ? ETHEREUM : CHEAP;
}

/** On Solana a payment after the account was closed has to open it again, so the address waits until late payments are unlikely. */
const LATE_SECONDS = 86_400;

/** Seconds that an address waits at least after the end of its session. */
export const leastDelay = ({ family, chain }: Pick<NetworkSpec, 'family' | 'chain'>): number =>
  family === 'solana' && chain !== 'local' ? LATE_SECONDS : 0;

/** A deposit address that may be swept now. */
export type Candidate = {
  readonly address: string;
  readonly addressIndex: number;
  /** Of the same index. */
  readonly evmAddress: string;
  /** On TRON the contract whose forwarder it is, if it is none of a key. */
  readonly factory: string | null;
  readonly sessionId: string;
  readonly currency: string;
  readonly decimals: number;
  /** Base units. */
  readonly amount: bigint;
  /** The same in cents, rounded down. */
  readonly cents: bigint;
  /** Block time of its oldest payment. */
  readonly since: Date;
  /** Since when it may be swept. */
  readonly readyAt: Date;
  /** Sweeps in a row that did not move it. */
  readonly skips: number;
};

/**
 * What an address that holds so much may send. Where senders are screened, that is the final money of the candidate: what arrived since is
 * not screened.
 */
export const movable = ({ amount }: Pick<Candidate, 'amount'>, held: bigint, isScreened: boolean): bigint =>
  isScreened ? smaller(held, amount) : held;

/** Since when a sweep of it was possible. */
export const readySince = ({ since, readyAt }: Candidate): number => Math.max(since.getTime(), readyAt.getTime());

/** The least cents that are worth a sweep, by the age of an address's oldest payment. At least one. */
export function leastWorth(
  rules: SweepRules,
  cost: bigint,
  now: Date,
): {
  readonly usual: bigint;
  readonly late: { readonly before: Date; readonly cents: bigint };
  readonly oldest: { readonly before: Date; readonly cents: bigint };
} {
  const before = (age: number): Date => new Date(now.getTime() - age);
  const usual = larger(rules.floor, rules.multiple * cost);
  const late = smaller(usual, larger(rules.floor, LATE_MULTIPLE * cost));
  const oldest = smaller(late, larger(1n, DUST_MULTIPLE * cost));
  return {
    usual,
    late: { before: before(rules.deadline), cents: late },
    oldest: { before: before(PATIENCE), cents: oldest },
  };
}

/** Whether an address that holds `cents` since a time is worth a sweep that costs `cost` cents. */
export function isWorth(
  rules: SweepRules,
  { cents, since }: Pick<Candidate, 'cents' | 'since'>,
  cost: bigint,
  now: Date,
): boolean {
  const { usual, late, oldest } = leastWorth(rules, cost, now);
  const least = since <= oldest.before ? oldest.cents : since <= late.before ? late.cents : usual;
  return cents >= least;
}

const NONE: ReadonlySet<string> = new Set();
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

export type BatchLimits = {
  /** Cents for one address. */
  readonly cost: bigint;
  readonly now: Date;
  /** Addresses of one transaction. */
  readonly most: number;
  /** Tokens that the refund wallet lacks: their batch waits for no more. */
  readonly lacked?: ReadonlySet<string>;
};

/** The addresses of the next batch, oldest first and all of one token; empty while it should wait for more. */
export function nextBatch(
  rules: SweepRules,
  candidates: readonly Candidate[],
  { cost, now, most, lacked = NONE }: BatchLimits,
): readonly Candidate[] {
  const worth = candidates
    .filter((one) => isWorth(rules, one, cost, now))
    .toSorted((one, other) => one.since.getTime() - other.since.getTime() || one.addressIndex - other.addressIndex);
  const [oldest] = worth;
  if (!oldest) return [];
  // Each token gets its turn by age, so that the busier one does not hold back the other.
  for (const currency of new Set(worth.map((one) => one.currency))) {
    const batch = worth.filter((one) => one.currency === currency).slice(0, most);
    const isDue =
      lacked.has(currency) ||
      batch.length >= Math.min(rules.count, most) ||
      batch.reduce((sum, { cents }) => sum + cents, 0n) >= rules.amount ||
      batch.some((one) => now.getTime() - readySince(one) >= rules.wait);
    if (isDue) return batch;
  }
  return [];
}

/**
 * Whether a batch may go now that its real cost is known: at most a fiftieth of its money, or half of it if all of it is dust.
 * Without a price of the coin (`cost` null) the network's own price limits decide.
 */
export function isAffordable(rules: SweepRules, batch: readonly Candidate[], cost: bigint | null): boolean {
  if (cost === null) return true;
  const total = batch.reduce((sum, { cents }) => sum + cents, 0n);
  const isDust = batch.every(({ cents }) => cents < rules.floor);
  return total >= smaller(rules.multiple, isDust ? DUST_MULTIPLE : LATE_MULTIPLE) * cost;
}
