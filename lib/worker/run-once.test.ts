// The steps of one pass, as /api/cron runs them.

import { expect, it } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { silentLog } from '@/testing/chain-clock';
import { TestClock } from '@/testing/fixtures';
import { runSteps } from './run-once';
import type { NamedStep } from './named-step';

const context = { clock: new TestClock(), log: silentLog() } as unknown as Context;
const step = (name: string, run: () => Promise<unknown>): NamedStep => ({
  name,
  everyMilliseconds: 0,
  run: async () => {
    await run();
    return { more: false };
  },
});

const beside = (one: NamedStep): NamedStep => ({ ...one, isBeside: true });

it('a slow reading of the refund wallet does not delay payments, and a failed step delays nothing', async () => {
  let credited = () => {};
  const paid = new Promise<void>((resolve) => (credited = resolve));
  // It ends only after the other has run.
  const slow = beside(step('refunds', () => paid));
  const quick = step('credit payments', async () => credited());
  const failing = step('rates', () => Promise.reject(new Error('no source answers')));
  expect(await runSteps(context, [slow, failing, quick])).toEqual([
    { name: 'rates', runs: 0, more: true, failed: true },
    { name: 'credit payments', runs: 1, more: false, failed: false },
    { name: 'refunds', runs: 1, more: false, failed: false },
  ]);
});

it('a step of a payment begins after the one before it has ended', async () => {
  const events: string[] = [];
  const steps = ['watch', 'compare', 'expire'].map((name) =>
    step(name, async () => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
    }),
  );
  await runSteps(context, steps);
  expect(events).toEqual([
    'watch begins',
    'watch ends',
    'compare begins',
    'compare ends',
    'expire begins',
    'expire ends',
  ]);
});
