// The simulator itself, and the histories that failed once.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { allSteps, runHistory } from './history';
import { openLaboratory, type Laboratory } from './laboratory';

/** Seeds of the test of sameness, and the steps of each. */
const SEEDS = [1, 2, 3, 4, 5];
const STEPS = 25;
/** A slow machine does not fail. */
const TIMEOUT = 600_000;

type Kept = { readonly seed: number; readonly steps: readonly number[]; readonly found: string };
const corpus = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'corpus.json'), 'utf8')) as Kept[];

let laboratory: Laboratory;
beforeAll(async () => void (laboratory = await openLaboratory(inject('databaseServer'), inject('templateDatabase'))));
afterAll(() => laboratory.close());

it(
  'gives the same trace for the same seed, byte for byte, and another one for another seed',
  async () => {
    const traces: string[] = [];
    for (const seed of SEEDS) {
      const [one, other] = [await traceOf(seed), await traceOf(seed)];
      expect(other).toBe(one);
      traces.push(one);
    }
    expect(new Set(traces).size).toBe(SEEDS.length);
  },
  TIMEOUT,
);

it(
  'finds nothing in histories that failed once',
  async () => {
    for (const { seed, steps, found } of corpus) {
      const { faults } = await runHistory(laboratory, { seed, steps });
      expect({ seed, found, faults }).toEqual({ seed, found, faults: [] });
    }
  },
  TIMEOUT,
);

async function traceOf(seed: number): Promise<string> {
  const { trace, faults } = await runHistory(laboratory, { seed, steps: allSteps(STEPS), invariantsEvery: 20 });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  return trace.join('\n');
}
