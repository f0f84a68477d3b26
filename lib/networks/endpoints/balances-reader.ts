// What an address holds at finality, as far as several endpoints agree. A false balance would stop payments or hide a theft, so a
// single endpoint counts only if the settings say that one is enough. Types and vote counting; each family reads.

import { ChainError, type BlockRef } from '@/lib/networks/chain';

/**
 * An amount in base units and when it was observed: in the state after some block from `from` to `through`. All these blocks are
 * final, or will be when the final cursor reaches them. If a network reports its state at a block, both are that block.
 */
export type FinalBalance = { readonly amount: bigint; readonly from: BlockRef; readonly through: BlockRef };

/** One endpoint's report. `by`: the endpoint's name, which contains no key. */
export type Vote = FinalBalance & { readonly by: string };

/**
 * `disputedBy`: the endpoints that report this amount, if they are too few and those that report another amount are too few as
 * well. Only for completeness.
 */
export type CheckedBalance = FinalBalance & { readonly disputedBy?: readonly string[] };

/** The address to read. `accounts`: its other token accounts besides the usual one, on networks that have such accounts. */
export type BalanceRequest = { readonly address: string; readonly accounts?: readonly string[] };

export interface BalanceReader {
  /** Most addresses per call, so that one call costs no more requests than an endpoint allows. */
  readonly most: number;
  /**
   * The token balance of each address. Addresses without enough agreement are left out: their tokens may be moving. Throws a
   * ChainError if too few endpoints answer, and an Error for a token that the network does not have.
   */
  tokens(holdings: readonly BalanceRequest[], currency: string): Promise<ReadonlyMap<string, CheckedBalance>>;
  /** The fee coin of an address at finality, as one endpoint reports it. Throws a ChainError. */
  feeCoin(address: string): Promise<HeldCoin>;
}

/** What an account can spend of the network's coin, and its stake, from one response. Smallest units: wei, sun or lamports. */
export type HeldCoin = {
  readonly amount: bigint;
  /** Null on networks whose accounts stake nothing for fees. */
  readonly stake: Stake | null;
};

/** Coin that an account owns and cannot spend. */
export type Stake = {
  /** With what of it is lent to other accounts. */
  readonly staked: bigint;
  /** No longer staked, and not withdrawn yet. */
  readonly unstaking: bigint;
  /** When the first part of that can be withdrawn; null without any. */
  readonly withdrawableAt: Date | null;
};

/**
 * `forCompleteness`: proves that no payment was missed. Every token account of an address counts, endpoints may be away, and an
 * amount with too few reports is returned as disputed.
 */
export type BalanceOptions = { readonly forCompleteness?: boolean };

/** Combines the endpoints' reports. Throws `unavailable` if fewer than `needed` answered. */
export const balancesOf = (
  votes: readonly ReadonlyMap<string, Vote>[],
  needed: number,
  { forCompleteness = false }: BalanceOptions,
): ReadonlyMap<string, CheckedBalance> =>
  forCompleteness ? highestBalances(votes, needed) : agreeOnBalances(votes, needed);

/**
 * The highest amount that `needed` endpoints report at least, so that one endpoint can neither hide nor invent a payment. If
 * fewer report more than the others, and those others are too few as well, the higher amount is disputed.
 */
function highestBalances(
  votes: readonly ReadonlyMap<string, Vote>[],
  needed: number,
): ReadonlyMap<string, CheckedBalance> {
  const addresses = new Set(votes.flatMap((vote) => [...vote.keys()]));
  const found = new Map<string, CheckedBalance>();
  for (const address of addresses) {
    const reports = votes.flatMap((vote) => vote.get(address) ?? []).toSorted(highestFirst);
    const [highest] = reports;
    const agreed = reports[Math.min(needed, reports.length) - 1];
    if (!highest || !agreed) continue;
    const isEnough = reports.filter(({ amount }) => amount === agreed.amount).length >= needed;
    if (highest.amount === agreed.amount) found.set(address, highest);
    else if (isEnough) found.set(address, reports.find(({ amount }) => amount === agreed.amount) ?? agreed);
    else
      found.set(address, { ...highest, disputedBy: namesOf(reports.filter(({ amount }) => amount > agreed.amount)) });
  }
  return found;
}

const namesOf = (votes: readonly Vote[]): string[] => [...new Set(votes.map(({ by }) => by))];

/** For equal amounts the older block comes first, so that a lagging endpoint proves nothing. */
const highestFirst = (one: FinalBalance, other: FinalBalance): number =>
  one.amount === other.amount ? one.from.number - other.from.number : one.amount > other.amount ? -1 : 1;

/** The amounts on which `needed` endpoints agree exactly. Throws `unavailable` if fewer answered. */
export function agreeOnBalances(
  votes: readonly ReadonlyMap<string, FinalBalance>[],
  needed: number,
): ReadonlyMap<string, FinalBalance> {
  if (votes.length < needed) {
    throw new ChainError('unavailable', `${votes.length} endpoints reported balances, and ${needed} must`);
  }
  const addresses = new Set(votes.flatMap((vote) => [...vote.keys()]));
  const agreed = new Map<string, FinalBalance>();
  for (const address of addresses) {
    const reports = votes.flatMap((vote) => vote.get(address) ?? []);
    const sides = [...new Set(reports.map(({ amount }) => amount))].map((amount) =>
      reports.filter((one) => one.amount === amount),
    );
    const [side, rival] = sides.toSorted((one, other) => other.length - one.length);
    if (side && side.length >= needed && (rival?.length ?? 0) < needed) agreed.set(address, whole(side));
  }
  return agreed;
}

/** The same amount reported at several blocks: from the first of them through the last. */
const whole = (side: readonly FinalBalance[]): FinalBalance =>
  side.reduce((one, other) => ({
    amount: one.amount,
    from: one.from.number <= other.from.number ? one.from : other.from,
    through: one.through.number >= other.through.number ? one.through : other.through,
  }));
