// Schedules that pay as soon as the balance is large enough.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openScheduleScene, type ScheduleScene } from '@/testing/payouts/schedule-scene';
import type { ScheduleKey } from './rows';

let scene: ScheduleScene;
let key: ScheduleKey;
beforeAll(async () => void (scene = await openScheduleScene()));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.database.pool.query(`UPDATE payout_schedules SET interval = 'manual', next_run_at = NULL`);
  await scene.at('2026-11-27T10:00:00Z');
  key = await scene.store();
});

const set = async () => {
  await scene.set(key, { interval: 'threshold', least: 1000n });
  await scene.reserve(key, 500n);
};

it('pays everything above what is kept when that is the least amount, and nothing a cent before', async () => {
  await set();
  await scene.receive(key, 1499n);
  await scene.at('2026-11-27T10:01:00Z');
  expect(await scene.payouts(key)).toEqual([]);
  await scene.receive(key, 1n);
  await scene.at('2026-11-27T10:01:05Z');
  expect(await scene.payouts(key)).toEqual([{ payoutId: 'scheduled_1_ethereum_usdt', amount: 1000n }]);
  expect(await scene.read(key)).toMatchObject({ count: 1, reason: null });
});

it('requests no second payout while the first is open, nor within an hour', async () => {
  await set();
  await scene.receive(key, 5000n);
  await scene.at('2026-11-27T10:00:00Z');
  await scene.receive(key, 5000n);
  await scene.at('2026-11-27T10:59:59Z');
  expect(await scene.read(key)).toMatchObject({ reason: null });
  await scene.at('2026-11-27T11:00:00Z');
  expect(await scene.read(key)).toMatchObject({ reason: 'open', nextRunAt: new Date('2026-11-27T11:10:00Z') });
  expect(await scene.payouts(key)).toHaveLength(1);
  await scene.cancelAll(key);
  await scene.at('2026-11-27T11:10:00Z');
  expect(await scene.payouts(key)).toEqual([
    { payoutId: 'scheduled_1_ethereum_usdt', amount: 4500n },
    { payoutId: 'scheduled_2_ethereum_usdt', amount: 9500n },
  ]);
});

it('without an address waits ten minutes between two attempts', async () => {
  key = await scene.store({ hasAddress: false });
  await set();
  await scene.receive(key, 5000n);
  await scene.at('2026-11-27T10:00:00Z');
  expect(await scene.read(key)).toMatchObject({ reason: 'no_address', nextRunAt: new Date('2026-11-27T10:10:00Z') });
  await scene.address(key);
  await scene.at('2026-11-27T10:10:00Z');
  expect(await scene.payouts(key)).toMatchObject([{ amount: 4500n }]);
});

it('counts the balance of its own token, network and environment only', async () => {
  await set();
  await scene.receive({ ...key, currency: 'USDC' }, 50_000n);
  await scene.receive({ ...key, network: 'bsc' }, 50_000n);
  await scene.receive({ ...key, environment: 'live' }, 50_000n);
  await scene.at('2026-11-27T12:00:00Z');
  expect(await scene.payouts(key)).toEqual([]);
  expect(await scene.read(key)).toMatchObject({ reason: null, nextRunAt: new Date('2026-11-27T10:00:00Z') });
});

it('that is saved again keeps its pause of an hour', async () => {
  await set();
  await scene.receive(key, 5000n);
  await scene.at('2026-11-27T10:00:00Z');
  await scene.cancelAll(key);
  await set();
  await scene.at('2026-11-27T10:30:00Z');
  expect(await scene.payouts(key)).toHaveLength(1);
});

it('follows a change of its amounts at once', async () => {
  await set();
  await scene.receive(key, 1200n);
  await scene.at('2026-11-27T12:00:00Z');
  expect(await scene.payouts(key)).toEqual([]);
  await scene.reserve(key, 200n);
  await scene.at('2026-11-27T12:00:01Z');
  expect(await scene.payouts(key)).toMatchObject([{ amount: 1000n }]);
});
