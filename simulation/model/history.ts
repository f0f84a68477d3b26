// One model history: a session, its steps, and the comparison after each of them. No database, no chain and no clock: thousands of
// steps a second. The same seed and steps give the same history.

import { openRandom, type Random } from '@/simulation/random';
import { differences } from './compare';
import { openModel, type Model } from './model';
import { decimalText, PAYMENT_STEPS } from './payment-steps';
import { REFUND_STEPS } from './refund-steps';

export type ModelOutcome = {
  readonly seed: number;
  readonly story: readonly string[];
  /** What must not be; empty if all is well. */
  readonly faults: readonly string[];
  readonly failedAt: number | null;
  readonly counts: ReadonlyMap<string, number>;
};

export const MODEL_STEPS = 200;
const STEPS = [...PAYMENT_STEPS, ...REFUND_STEPS];
/** How often a step draws another one when there was nothing to do. */
const MAX_DRAWS = 8;

export function runModel(seed: number, steps: readonly number[], isStrict = false): ModelOutcome {
  const counts = new Map<string, number>();
  const story: string[] = [];
  let failedAt = 0;
  try {
    const model = openModel(seed, isStrict);
    story.push(termsText(model));
    for (const step of steps) {
      failedAt = step;
      const says = act(model, openRandom(seed, step), counts);
      const faults = differences(model);
      story.push(
        `${String(step).padStart(3)}  ${says} → ${model.product.status}, ${model.product.received} cents received`,
      );
      if (faults.length > 0) return { seed, story, faults, failedAt, counts };
    }
    return { seed, story, faults: [], failedAt: null, counts };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { seed, story, faults: [fault], failedAt, counts };
  }
}

function act(model: Model, random: Random, counts: Map<string, number>): string {
  for (let draws = 0; draws < MAX_DRAWS; draws++) {
    const step = random.weighted(STEPS);
    const says = step.act({ model, random });
    if (says === null) continue;
    counts.set(step.name, (counts.get(step.name) ?? 0) + 1);
    return says;
  }
  return 'Nothing happens';
}

function termsText({ terms }: Model): string {
  const pairs = terms.pairs.map(({ network, currency }) => `${currency} on ${network}`).join(', ');
  return `     A session over ${decimalText(terms.dueCents, 2)} in ${pairs}, for ${terms.expiresAt - terms.createdAt} s`;
}

export type ShortModel = { readonly steps: readonly number[]; readonly outcome: ModelOutcome };

/** Leaves out steps as long as the same difference remains. */
export function shrinkModel(failed: ModelOutcome, all: readonly number[], isStrict = false): ShortModel {
  let best: ShortModel = { steps: all.filter((step) => step <= (failed.failedAt ?? step)), outcome: failed };
  const isShorter = (steps: readonly number[]): boolean => {
    const outcome = runModel(failed.seed, steps, isStrict);
    const isSame = outcome.faults.length > 0 && kindOf(outcome) === kindOf(failed);
    if (isSame) best = { steps, outcome };
    return isSame;
  };
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    let hasShrunk = false;
    for (let from = best.steps.length - size; from > -size; from -= size) {
      const steps = best.steps.filter((_, index) => index < from || index >= from + size);
      if (isShorter(steps)) hasShrunk = true;
    }
    if (hasShrunk && size === 1) size = 2;
  }
  return best;
}

/** What a difference is about, without its numbers. */
const kindOf = ({ faults }: ModelOutcome): string => (faults[0] ?? '').replace(/\d+/g, '#');
