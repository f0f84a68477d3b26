// Setting a payout schedule: what is refused, and when the next payout is.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openScheduleScene, type ScheduleScene } from '@/testing/payouts/schedule-scene';
import { listSchedules } from './list';
import type { ScheduleKey } from './rows';

let scene: ScheduleScene;
let key: ScheduleKey;
beforeAll(async () => void (scene = await openScheduleScene()));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.at('2026-11-27T10:00:00Z');
  key = await scene.store();
});

it.each([
  ['a network that does not exist here', { network: 'dogecoin' }, {}, 'unknown_asset'],
  ['a token that the network lacks', { currency: 'EURC' }, {}, 'unknown_asset'],
  ['a least amount below that of a payout', {}, { least: 99n }, 'too_small'],
])('refuses %s', async (_, asset, over, code) => {
  expect(await scene.set({ ...key, ...asset }, over)).toEqual({ refused: { code } });
  expect(await listSchedules(scene.database.pool, key)).toEqual([]);
});

it.each([
  ['daily', '2026-11-28'],
  ['weekly', '2026-11-30'],
  ['monthly', '2026-12-01'],
] as const)('a %s schedule pays first when the next period starts', async (interval, day) => {
  await scene.reserve(key, 300n);
  expect(await scene.set(key, { interval, least: 2000n })).toEqual({ set: true });
  expect(await listSchedules(scene.database.pool, key)).toEqual([
    {
      ...{ network: 'ethereum', currency: 'USDT', interval, least: 2000n, keep: 300n, reason: null },
      nextRunAt: new Date(`${day}T00:00:00Z`),
    },
  ]);
});

it('other amounts keep the time of the next payout, and another interval begins anew', async () => {
  key = await scene.store({ hasAddress: false });
  await scene.receive(key, 5000n);
  await scene.set(key);
  await scene.at('2026-11-28T00:00:00Z');
  await scene.reserve(key, 700n);
  await scene.set(key, { least: 200n });
  expect(await scene.read(key)).toMatchObject({
    ...{ least: 200n, keep: 700n, reason: 'no_address', nextRunAt: new Date('2026-11-28T00:10:00Z') },
  });
  await scene.set(key, { interval: 'monthly' });
  expect(await scene.read(key)).toMatchObject({ reason: null, nextRunAt: new Date('2026-12-01T00:00:00Z') });
});
