// What an address holds at finality, as far as several endpoints agree on it. A false balance would stop payments or hide a
// theft, so one endpoint's word counts only where one is enough by the settings. Types and the vote; each family reads.

import { ChainError, type BlockRef } from '@/lib/networks/chain';

/**
 * An amount of base units and when it was so: in the state after some block from `from` to `through`, all of which are final
 * or will be when the final cursor reaches them. Where a network tells its state at a block, both are that block.
 */
export type Held = { readonly amount: bigint; readonly from: BlockRef; readonly through: BlockRef };

/** What one endpoint says. `by`: its name, which holds no key. */
export type Vote = Held & { readonly by: string };

/** `disputedBy`: the endpoints that report so much, where they are too few, and too few report another amount. Only for completeness. */
export type CheckedHeld = Held & { readonly disputedBy?: readonly string[] };

/** Whose tokens are asked for. `accounts`: token accounts of the address besides the usual one, where a network has such. */
export type Holding = { readonly address: string; readonly accounts?: readonly string[] };

export interface BalanceReader {
  /** Addresses that may be asked for at once, so that a look costs as many requests as an endpoint allows. */
  readonly most: number;
  /**
   * What each holds of a token. Those on which too few endpoints agree at present are left out: their tokens may be moving.
   * Throws a ChainError when too few endpoints answer, and an Error for a token that the network does not have.
   */
  tokens(holdings: readonly Holding[], currency: string): Promise<ReadonlyMap<string, CheckedHeld>>;
  /** Coin for fees, at finality, as one endpoint tells it: wei, sun or lamports. Throws a ChainError. */
  feeCoin(address: string): Promise<bigint>;
}

/**
 * `forCompleteness`: for the proof that no payment was missed. Every token account of an address counts, endpoints may be away,
 * and an amount that too few endpoints report is answered as disputed.
 */
export type BalanceOptions = { readonly forCompleteness?: boolean };

/** What the endpoints' answers come to. Throws `unavailable` when fewer than `needed` answered. */
export const balancesOf = (
  votes: readonly ReadonlyMap<string, Vote>[],
  needed: number,
  { forCompleteness = false }: BalanceOptions,
): ReadonlyMap<string, CheckedHeld> =>
  forCompleteness ? highestBalances(votes, needed) : agreeOnBalances(votes, needed);

/**
 * The highest amount that `needed` endpoints report at least, so that one endpoint neither hides a payment nor makes one up. Where
 * fewer report more than the others, and those others are too few as well, their amount is disputed.
 */
function highestBalances(
  votes: readonly ReadonlyMap<string, Vote>[],
  needed: number,
): ReadonlyMap<string, CheckedHeld> {
  const addresses = new Set(votes.flatMap((vote) => [...vote.keys()]));
  const found = new Map<string, CheckedHeld>();
  for (const address of addresses) {
    const said = votes.flatMap((vote) => vote.get(address) ?? []).toSorted(highestFirst);
    const [highest] = said;
    const agreed = said[Math.min(needed, said.length) - 1];
    if (!highest || !agreed) continue;
    const isEnough = said.filter(({ amount }) => amount === agreed.amount).length >= needed;
    if (highest.amount === agreed.amount) found.set(address, highest);
    else if (isEnough) found.set(address, said.find(({ amount }) => amount === agreed.amount) ?? agreed);
    else found.set(address, { ...highest, disputedBy: namesOf(said.filter(({ amount }) => amount > agreed.amount)) });
  }
  return found;
}

const namesOf = (votes: readonly Vote[]): string[] => [...new Set(votes.map(({ by }) => by))];

/** Of the same amount the older block comes first, so that an endpoint that lags proves nothing. */
const highestFirst = (one: Held, other: Held): number =>
  one.amount === other.amount ? one.from.number - other.from.number : one.amount > other.amount ? -1 : 1;

/** What `needed` endpoints say in one voice of each address. Throws `unavailable` when fewer answered. */
export function agreeOnBalances(
  votes: readonly ReadonlyMap<string, Held>[],
  needed: number,
): ReadonlyMap<string, Held> {
  if (votes.length < needed) {
    throw new ChainError('unavailable', `${votes.length} endpoints told balances, and ${needed} must`);
  }
  const addresses = new Set(votes.flatMap((vote) => [...vote.keys()]));
  const agreed = new Map<string, Held>();
  for (const address of addresses) {
    const said = votes.flatMap((vote) => vote.get(address) ?? []);
    const sides = [...new Set(said.map(({ amount }) => amount))].map((amount) =>
      said.filter((one) => one.amount === amount),
    );
    const [side, rival] = sides.toSorted((one, other) => other.length - one.length);
    if (side && side.length >= needed && (rival?.length ?? 0) < needed) agreed.set(address, whole(side));
  }
  return agreed;
}

/** The same amount told as of several blocks: from the first of them through the last. */
const whole = (side: readonly Held[]): Held =>
  side.reduce((one, other) => ({
    amount: one.amount,
    from: one.from.number <= other.from.number ? one.from : other.from,
    through: one.through.number >= other.through.number ? one.through : other.through,
  }));
