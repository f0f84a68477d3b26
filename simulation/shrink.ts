// Makes a failed history short: leaves out steps as long as the same check still fails. Every step draws its own
// randomness, so the others stay what they were.

import { runHistory, type Outcome } from './history';
import type { Harness } from './harness';

export type Short = { readonly outcome: Outcome; readonly steps: readonly number[] };

/** Most histories that shrinking runs. */
const MAX_RUNS = 150;

/** What a violation is about, without its names and numbers. */
const kindOf = ({ violations: [first = ''] }: Outcome): string => first.split('\n')[0]!.replace(/\d+/g, '#');

export async function shrink(harness: Harness, failed: Outcome, all: readonly number[]): Promise<Short> {
  const kind = kindOf(failed);
  let best: Short = {
    outcome: failed,
    steps: all.filter((step) => step <= (failed.failedAt ?? Number.POSITIVE_INFINITY)),
  };
  let left = MAX_RUNS;
  const attempt = async (steps: readonly number[]): Promise<void> => {
    const outcome = await runHistory(harness, { seed: failed.seed, steps });
    if (outcome.violations.length > 0 && kindOf(outcome) === kind) best = { outcome, steps };
  };
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (const from of startsOf(best.steps.length, size)) {
      if (left-- <= 0) return best;
      await attempt(best.steps.filter((_, index) => index < from || index >= from + size));
    }
  }
  return best;
}

/** Where parts of this size begin, the last one first, so that leaving one out moves none of those to come. */
const startsOf = (length: number, size: number): number[] =>
  Array.from({ length: Math.ceil(length / size) }, (_, index) => index * size).toReversed();
