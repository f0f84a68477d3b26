// What stands for all records of the closed segments: everything that the signer's policy needs. Pure.

import type { Entry } from './record';

export type Checkpoint = Extract<Entry, { kind: 'checkpoint' }>;

/** Cents that count against a limit from a moment on, in milliseconds. */
export type Spent = { readonly at: number; readonly cents: bigint };

/** Payments within this time count as one of the latest of them: a little longer, never shorter. It bounds the checkpoint. */
const TOGETHER_MILLISECONDS = 10 * 60_000;

type Parts = Omit<Checkpoint, 'kind' | 'spent' | 'nonces'> & {
  readonly nonces: Readonly<Record<string, number>>;
  /** By meter, the oldest first. */
  readonly spent: ReadonlyMap<string, readonly Spent[]>;
  /** What was spent up to then counts no longer. */
  readonly since: number;
};

export function toCheckpoint({ spent, since, nonces, ...parts }: Parts): Checkpoint {
  return {
    ...parts,
    kind: 'checkpoint',
    nonces: { ...nonces },
    spent: [...spent].flatMap(([meter, list]) => together(list.filter(({ at }) => at > since)).map(shownAs(meter))),
  };
}

function together(list: readonly Spent[]): Spent[] {
  const sums = new Map<number, Spent>();
  for (const { at, cents } of list) {
    const bucket = Math.floor(at / TOGETHER_MILLISECONDS);
    const before = sums.get(bucket);
    sums.set(bucket, { at: Math.max(at, before?.at ?? 0), cents: cents + (before?.cents ?? 0n) });
  }
  return [...sums.values()];
}

const shownAs =
  (meter: string) =>
  ({ at, cents }: Spent): Checkpoint['spent'][number] => ({ meter, at, cents: String(cents) });
