// The steps of one pass, as /api/cron runs them.

import { expect, it } from 'vitest';
import type { Context } from '@/lib/context';
import { silentLog } from '@/lib/testing/chain-clock';
import { TestClock } from '@/lib/testing/fixtures';
import { runSteps, STEPS_AT_ONCE } from './pass';
import type { NamedStep } from './steps';

const context = { clock: new TestClock(), log: silentLog() } as unknown as Context;
const step = (name: string, run: () => Promise<unknown>): NamedStep => ({
  name,
  everyMilliseconds: 0,
  run: async () => {
    await run();
    return { more: false };
  },
});

it('a slow step does not delay the steps behind it', async () => {
  let payments = () => {};
  const paid = new Promise<void>((resolve) => (payments = resolve));
  // It ends only after the other has run.
  const slow = step('refunds', () => paid);
  const quick = step('credit payments', async () => payments());
  const failing = step('rates', () => Promise.reject(new Error('no source answers')));
  expect(await runSteps(context, [slow, failing, quick])).toEqual([
    { name: 'refunds', runs: 1, more: false, failed: false },
    { name: 'rates', runs: 0, more: true, failed: true },
    { name: 'credit payments', runs: 1, more: false, failed: false },
  ]);
});

it('runs every step, and only a few at once', async () => {
  let running = 0;
  let most = 0;
  const done: string[] = [];
  const steps = Array.from({ length: 4 * STEPS_AT_ONCE }, (_, n) =>
    step(`step ${n}`, async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      done.push(`step ${n}`);
    }),
  );
  await runSteps(context, steps);
  expect(most).toBe(STEPS_AT_ONCE);
  expect(done.toSorted()).toEqual(steps.map(({ name }) => name).toSorted());
});
