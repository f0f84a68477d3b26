// The simulator itself, and the histories that failed once.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { allSteps, runHistory } from './history';
import type { Network } from './chain/open-chain';
import { openHarness, type Harness } from './harness';

/** Seeds of the test of sameness, and the steps of each. `npm run simulate -- --twice` compares more. */
const SEEDS = [1, 2, 3, 4, 5];
const STEPS = 60;
const FEW_STEPS = 20;
/** A slow machine does not fail. */
const TIMEOUT = 600_000;

/** `script`: the actions of a history that failed once; `found`: what was wrong with the product, or with the simulator. */
type Kept = {
  readonly seed: number;
  readonly networks: readonly Network[];
  readonly script: readonly string[];
  readonly found: string;
};
const corpus = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'corpus.json'), 'utf8')) as Kept[];

let harness: Harness;
beforeAll(async () => void (harness = await openHarness(inject('databaseServer'), inject('templateDatabase'))));
afterAll(() => harness.close());

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
    // Traces in which nothing happens would be the same for a bad reason.
    expect(traces.join('\n')).toMatch(/session \d+: pending → completed/);
  },
  TIMEOUT,
);

it(
  'gives the same trace while another program on the server keeps a transaction open',
  async () => {
    const alone = await traceOf(SEEDS[0] as number, FEW_STEPS);
    const client = new pg.Client({ connectionString: inject('databaseServer') });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      expect(await traceOf(SEEDS[0] as number, FEW_STEPS)).toBe(alone);
    } finally {
      await client.end();
    }
  },
  TIMEOUT,
);

describe('finds nothing in a history that failed once', () => {
  it.each(corpus)(
    'seed $seed: $found',
    async ({ seed, networks, script }) => {
      const steps = allSteps(script.length);
      expect((await runHistory(harness, { seed, networks, script, steps })).violations).toEqual([]);
    },
    TIMEOUT,
  );
});

async function traceOf(seed: number, count = STEPS): Promise<string> {
  const { trace, violations } = await runHistory(harness, { seed, steps: allSteps(count), invariantsEvery: 20 });
  expect({ seed, violations }).toEqual({ seed, violations: [] });
  return trace.join('\n');
}
