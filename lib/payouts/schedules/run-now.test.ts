// A schedule that a person runs before its time, in a sandbox.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openScheduleScene, type ScheduleScene } from '@/testing/payouts/schedule-scene';
import type { ScheduleKey } from './rows';
import { canRunNow, runScheduleNow } from './run-now';
import { removeSchedule } from './set';

const NOW = '2026-11-27T10:00:00Z';

let scene: ScheduleScene;
let key: ScheduleKey;
beforeAll(async () => void (scene = await openScheduleScene({ SANDBOX_ORIGIN: 'http://127.0.0.1:9' })));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.database.pool.query(`UPDATE payout_schedules SET interval = 'manual', next_run_at = NULL`);
  await scene.at(NOW);
  key = await scene.store();
});

const run = () => runScheduleNow(scene.context, key, async () => {});

it('pays at once, as often as it is run, and again when the next period starts', async () => {
  await scene.receive(key, 5000n);
  await scene.set(key);
  await scene.at(NOW);
  expect(await scene.payouts(key)).toEqual([]);
  expect(await run()).toBe(true);
  await scene.at(NOW);
  await scene.cancelAll(key);
  expect(await run()).toBe(true);
  await scene.at(NOW);
  expect((await scene.read(key)).nextRunAt).toEqual(new Date('2026-11-28T00:00:00Z'));
  await scene.cancelAll(key);
  await scene.at('2026-11-28T00:00:00Z');
  const paid = (await scene.payouts(key)).toSorted((one, other) => one.payoutId.localeCompare(other.payoutId));
  expect(paid).toEqual([1, 2, 3].map((number) => ({ payoutId: `scheduled_${number}_ethereum_usdt`, amount: 5000n })));
});

it('requests nothing while its last payout is open', async () => {
  await scene.receive(key, 5000n);
  await scene.set(key);
  await run();
  await scene.at(NOW);
  await scene.receive(key, 5000n);
  await run();
  await scene.at(NOW);
  expect(await scene.payouts(key)).toHaveLength(1);
  expect(await scene.read(key)).toMatchObject({ reason: 'open' });
});

it('does not run when it was removed', async () => {
  await scene.receive(key, 5000n);
  await scene.set(key);
  await removeSchedule(scene.context, key, async () => {});
  expect(await run()).toBe(false);
  await scene.at(NOW);
  expect(await scene.payouts(key)).toEqual([]);
});

it.each([
  ['the test environment of a sandbox', { SANDBOX_ORIGIN: 'http://127.0.0.1:9' }, 'test', true],
  ['its live environment', { SANDBOX_ORIGIN: 'http://127.0.0.1:9' }, 'live', false],
  ['an installation without a sandbox', { SANDBOX_ORIGIN: undefined }, 'test', false],
] as const)('is offered in %s: %s', (_, config, environment, expected) => {
  expect(canRunNow(config, environment)).toBe(expected);
});
