// Computes one rate from the sources, or refuses. Pure: observations and time are arguments, and all arithmetic is exact. Fresh market
// prices set the rate. A daily reference votes on whether the markets are right, but never sets a price, because it may be days old.
// Without at least one market price there is no rate.

import { decimalToText, parseDecimal, STABLECOINS, type Decimal, type Stablecoin } from '@/lib/money/amounts';
import type { Reading } from './providers/provider';
import {
  compare,
  inverse,
  isWithin,
  isWithinBasisPoints,
  median,
  multiply,
  ratioOf,
  roundUp,
  type Ratio,
} from './ratio';

/** A price from a source, and whether the source is a market or a daily reference. */
export type Observation = Reading & {
  readonly source: string;
  readonly kind: 'live' | 'daily';
  readonly fetchedAt: Date;
};

export type RateRules = {
  readonly maxAgeSeconds: number;
  readonly dailyMaxAgeSeconds: number;
  readonly leastSources: number;
  readonly agreementPercent: number;
  readonly pegPercent: number;
};

export type RateRequest = {
  readonly currency: string;
  readonly token: Stablecoin;
  /** Added to the rate, in hundredths of a percent. */
  readonly spreadBasisPoints: number;
  readonly now: Date;
  readonly rules: RateRules;
};

/** The inputs of a rate, stored with the session. Times are ISO 8601. */
export type RateBasis = {
  readonly spread_basis_points: number;
  readonly observations: readonly {
    readonly source: string;
    readonly currency: string;
    readonly price: string;
    readonly per: Reading['per'];
    readonly source_time: string;
    readonly fetched_at: string;
  }[];
};

/** `rate`: the token for one unit of the currency, the token counting as a dollar; the exact decimal for computing prices. */
export type Quote = { readonly rate: Decimal; readonly basis: RateBasis };
export type RateRefusal = {
  readonly refused: 'no fresh market price' | 'too few sources' | 'sources disagree' | 'peg unknown' | 'peg broken';
};

/** Enough to be exact to a millionth of a cent in any price that a customer pays, and short enough to read. */
const SIGNIFICANT_DIGITS = 10;
/** Clocks of sources may run ahead by this much; a price with a later time is ignored. */
const AHEAD_MILLISECONDS = 60_000;
const ONE: Ratio = { numerator: 1n, denominator: 1n };

type Vote = { readonly observation: Observation; readonly dollars: Ratio };

/** The rate for a session that is created now, or why there is none. */
export function quote(observations: readonly Observation[], request: RateRequest): Quote | RateRefusal {
  const { currency, token, spreadBasisPoints, rules } = request;
  const fresh = observations.filter((one) => isFresh(one, request)).map(voteOf);
  const peg = pegVotes(fresh, token, rules.pegPercent * 100);
  if ('refused' in peg) return peg;
  const votes = fresh.filter(({ observation }) => observation.currency === currency);
  if (!votes.some(isMarket)) return { refused: 'no fresh market price' };
  if (votes.length < rules.leastSources) return { refused: 'too few sources' };
  const agreeing = agreement(votes, rules.agreementPercent);
  const price = median(agreeing.filter(isMarket).map(({ dollars }) => dollars));
  // A majority must agree: one of two, or two of four, is not enough, whatever the required number.
  if (!price || agreeing.length < rules.leastSources || agreeing.length * 2 <= votes.length) {
    return { refused: 'sources disagree' };
  }
  const withSpread = multiply(price, { numerator: 10_000n + BigInt(spreadBasisPoints), denominator: 10_000n });
  const used = [...agreeing, ...peg.inside].map(({ observation }) => basisOf(observation));
  return {
    rate: roundUp(withSpread, SIGNIFICANT_DIGITS),
    basis: { spread_basis_points: spreadBasisPoints, observations: used },
  };
}

/** Whether fresh market prices of each token are within this many basis points of a dollar. */
export function pegState(
  observations: readonly Observation[],
  { now, rules, basisPoints }: Pick<RateRequest, 'now' | 'rules'> & { readonly basisPoints: number },
): 'holds' | 'unknown' | 'broken' {
  const fresh = observations.filter((one) => isFresh(one, { now, rules })).map(voteOf);
  const pegs = STABLECOINS.map((token) => pegVotes(fresh, token, basisPoints));
  if (pegs.some((peg) => 'refused' in peg && peg.refused === 'peg unknown')) return 'unknown';
  return pegs.every((peg) => 'inside' in peg) ? 'holds' : 'broken';
}

function isFresh(
  { kind, sourceTime, fetchedAt }: Observation,
  { now, rules }: Pick<RateRequest, 'now' | 'rules'>,
): boolean {
  const age = now.getTime() - Math.min(sourceTime.getTime(), fetchedAt.getTime());
  const latest = Math.max(sourceTime.getTime(), fetchedAt.getTime());
  const most = kind === 'live' ? rules.maxAgeSeconds : rules.dailyMaxAgeSeconds;
  return age <= most * 1000 && latest - now.getTime() <= AHEAD_MILLISECONDS;
}

function voteOf(observation: Observation): Vote {
  const price = parseDecimal(observation.price);
  if (!price || price.units === 0n) throw new Error(`a stored price of ${observation.currency} is not a price`);
  return { observation, dollars: observation.per === 'unit' ? ratioOf(price) : inverse(ratioOf(price)) };
}

const isMarket = ({ observation }: Vote): boolean => observation.kind === 'live';

/** The markets that price the token near a dollar. A majority must; without any market the peg is unknown. */
function pegVotes(fresh: readonly Vote[], token: Stablecoin, basisPoints: number): { inside: Vote[] } | RateRefusal {
  const votes = fresh.filter((vote) => vote.observation.currency === token && isMarket(vote));
  if (votes.length === 0) return { refused: 'peg unknown' };
  const inside = votes.filter(({ dollars }) => isWithinBasisPoints(dollars, ONE, basisPoints));
  return inside.length * 2 > votes.length ? { inside } : { refused: 'peg broken' };
}

/** The votes near the median, so that one faulty source has no weight. For an even number, the lower middle is the median. */
function agreement(votes: readonly Vote[], percent: number): Vote[] {
  const sorted = votes.toSorted((one, other) => compare(one.dollars, other.dollars));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return middle ? sorted.filter(({ dollars }) => isWithin(dollars, middle.dollars, percent)) : [];
}

const basisOf = ({ source, currency, price, per, sourceTime, fetchedAt }: Observation) => ({
  source,
  currency,
  price,
  per,
  source_time: sourceTime.toISOString(),
  fetched_at: fetchedAt.toISOString(),
});

/** The rate as merchants see it. */
export const rateText = ({ rate }: Pick<Quote, 'rate'>): string => decimalToText(rate);
