// The hold of payouts on a real database: recent payments cannot be paid out, by a request or by a schedule, and refunds do not wait.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { postAt } from '@/testing/ledger/statement-scene';
import { openScheduleScene, type ScheduleScene } from '@/testing/payouts/schedule-scene';
import { requestPayout } from './request';
import type { ScheduleKey } from './schedules/rows';

let scene: ScheduleScene;
let key: ScheduleKey;
beforeAll(async () => void (scene = await openScheduleScene()));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.database.pool.query(`UPDATE payout_schedules SET interval = 'manual', next_run_at = NULL`);
  await scene.at('2026-11-27T10:00:00Z');
  key = await scene.store();
  await hold(24);
});

const hold = (hours: number) =>
  scene.database.pool.query('UPDATE stores SET payout_hold_hours = $2 WHERE id = $1', [key.storeId, hours]);

/** Credits (or with a negative amount, refunds) cents of a session at a time. */
const credit = (sessionId: string | null, at: string, cents: bigint) =>
  postAt(scene.database.pool, key, {
    ...{ at, ...(sessionId && { sessionId: `${key.storeId}-${sessionId}` }) },
    moves: [{ network: key.network, currency: key.currency, part: 'available', amount: cents * 10_000n }],
  });

let number = 0;
const request = (amount: bigint) =>
  requestPayout(
    scene.context,
    { storeId: key.storeId, environment: key.environment, record: async () => {} },
    { ...key, payoutId: `po-${number++}`, amount, description: null },
  );
const missing = async (amount: bigint) => {
  const made = await request(amount);
  return 'refused' in made && made.refused.code === 'balance' ? made.refused.missing : 0n;
};

it('a payment cannot be paid out until its hours have passed, and then it can', async () => {
  await credit('old', '2026-11-26T09:59:59Z', 700n);
  await credit('new', '2026-11-26T10:00:01Z', 500n);
  expect(await missing(701n)).toBe(1n);
  expect(await request(700n)).toHaveProperty('id');
  expect(await missing(100n)).toBe(100n);
  await scene.at('2026-11-27T10:00:02Z');
  expect(await request(500n)).toHaveProperty('id');
});

it('without a hold a payment can be paid out at once', async () => {
  await hold(0);
  await credit('new', '2026-11-27T09:59:59Z', 500n);
  expect(await request(500n)).toHaveProperty('id');
});

it('a refund of a waiting payment leaves only the rest of it waiting, and one of an older payment releases nothing', async () => {
  await credit('old', '2026-11-25T10:00:00Z', 1000n);
  await credit('new', '2026-11-27T09:00:00Z', 500n);
  await credit('new', '2026-11-27T09:30:00Z', -200n);
  await credit('old', '2026-11-27T09:30:00Z', -400n);
  // 900 are there, of which 300 wait.
  expect(await missing(601n)).toBe(1n);
  expect(await request(600n)).toHaveProperty('id');
});

it('what came back from a payout that failed does not wait', async () => {
  await credit(null, '2026-11-27T09:59:00Z', 500n);
  expect(await request(500n)).toHaveProperty('id');
});

it('a payment in another token holds nothing back here', async () => {
  await credit('old', '2026-11-25T10:00:00Z', 500n);
  await postAt(scene.database.pool, key, {
    ...{ at: '2026-11-27T09:00:00Z', sessionId: `${key.storeId}-other` },
    moves: [{ network: key.network, currency: 'USDC', part: 'available', amount: 9_000_000n }],
  });
  expect(await request(500n)).toHaveProperty('id');
});

it('a schedule pays what does not wait, and the rest when it no longer does', async () => {
  await scene.set(key, { interval: 'threshold', least: 100n });
  await credit('old', '2026-11-25T10:00:00Z', 700n);
  await credit('new', '2026-11-27T09:00:00Z', 500n);
  await scene.at('2026-11-27T10:01:00Z');
  expect(await scene.payouts(key)).toMatchObject([{ amount: 700n }]);
  await scene.cancelAll(key);
  await scene.at('2026-11-28T09:00:01Z');
  expect((await scene.payouts(key)).map(({ amount }) => amount)).toEqual([700n, 1200n]);
});
