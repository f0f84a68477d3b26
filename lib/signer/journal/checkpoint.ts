// The checkpoint: everything that the signer's policy needs from the records of the closed segments. Pure.

import type { Allowance, Entry } from './record';

export type Checkpoint = Extract<Entry, { kind: 'checkpoint' }>;

/** What counts against a limit from a time on, in milliseconds. `cents` has the unit of the meter: cents, the smallest unit of the coin for fees, or indexes of addresses. */
export type Spent = { readonly at: number; readonly cents: bigint };

/**
 * Payments within this time are merged into one at the time of the latest. They then count a little longer, never
 * shorter. It bounds the size of the checkpoint.
 */
const MERGE_MILLISECONDS = 10 * 60_000;

type Parts = Omit<Checkpoint, 'kind' | 'spent' | 'nonces' | 'allowances'> & {
  readonly nonces: Readonly<Record<string, number>>;
  /** By meter, oldest first. */
  readonly spent: ReadonlyMap<string, readonly Spent[]>;
  /** Amounts spent up to this time no longer count. */
  readonly since: number;
  readonly allowances: readonly Allowance[];
};

export function toCheckpoint({ spent, since, nonces, allowances, ...parts }: Parts): Checkpoint {
  return {
    ...parts,
    kind: 'checkpoint',
    nonces: { ...nonces },
    ...(allowances.length === 0 ? {} : { allowances: [...allowances] }),
    spent: [...spent].flatMap(([meter, list]) => merged(list.filter(({ at }) => at > since)).map(shownAs(meter))),
  };
}

function merged(list: readonly Spent[]): Spent[] {
  const sums = new Map<number, Spent>();
  for (const { at, cents } of list) {
    const bucket = Math.floor(at / MERGE_MILLISECONDS);
    const before = sums.get(bucket);
    sums.set(bucket, { at: Math.max(at, before?.at ?? 0), cents: cents + (before?.cents ?? 0n) });
  }
  return [...sums.values()];
}

const shownAs =
  (meter: string) =>
  ({ at, cents }: Spent): Checkpoint['spent'][number] => ({ meter, at, cents: String(cents) });
