// The block that several endpoints agree on. If the operator requires agreement, the final cursor moves only to such a block: on
// a fork reported by one endpoint, every honest endpoint would refuse to continue. Pure except for the requests passed in.

import { ChainError } from '@/lib/networks/chain';

/** A block by its number and hash. */
export type BlockPlace = { readonly number: number; readonly hash: string };

export type BlockVoters<V> = {
  /** In the order of the requests. */
  readonly voters: readonly V[];
  readonly needed: number;
  /** The hash of a block, or null if the endpoint does not have it. Throws a ChainError if it cannot answer. */
  readonly hashAt: (voter: V, number: number) => Promise<string | null>;
  /** The endpoint's final block; null if it is stale. Throws a ChainError if it cannot answer. */
  readonly finalOf: (voter: V) => Promise<BlockPlace | null>;
};

/**
 * The block at `number`, or the newest final block below it of an endpoint that lags, once `needed` endpoints report the same
 * hash. Null if too few can answer. Throws `contradiction` if they differ and neither side has enough votes.
 */
export async function agreeOnBlock<V>(vote: BlockVoters<V>, number: number): Promise<BlockPlace | null> {
  const { agreed, behind, isDisputed } = await countAt(vote, number);
  if (agreed) return agreed;
  const finals = await Promise.all(behind.map((voter) => orNull(() => vote.finalOf(voter))));
  const lower = Math.max(-1, ...finals.flatMap((final) => (final && final.number < number ? final.number : [])));
  const earlier = lower < 0 ? null : await countAt(vote, lower);
  if (earlier?.agreed) return earlier.agreed;
  if (isDisputed || earlier?.isDisputed) {
    const at = isDisputed ? number : lower;
    throw new ChainError('contradiction', `the endpoints report different blocks ${at}, and no ${vote.needed} agree`, {
      demotes: false,
    });
  }
  return null;
}

async function countAt<V>({ voters, needed, hashAt }: BlockVoters<V>, number: number) {
  const votes = new Map<string, number>();
  const behind: V[] = [];
  for (const voter of voters) {
    const hash = await orNull(async () => (await hashAt(voter, number)) ?? BEHIND);
    if (hash === BEHIND) behind.push(voter);
    if (hash === null || hash === BEHIND) continue;
    const count = (votes.get(hash) ?? 0) + 1;
    votes.set(hash, count);
    if (count >= needed) return { agreed: { number, hash }, behind, isDisputed: false };
  }
  return { agreed: null, behind, isDisputed: votes.size > 1 };
}

const BEHIND = 'behind';

/** Null if the endpoint cannot answer. */
async function orNull<T>(request: () => Promise<T>): Promise<T | null> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ChainError) return null;
    throw error;
  }
}
