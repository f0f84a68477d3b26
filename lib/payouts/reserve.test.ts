// The refund reserve on a real database: no payout takes it, refunds can, and it outlives schedules.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { reserveRefund } from '@/lib/ledger/post-refund';
import { transaction } from '@/lib/platform/database/db';
import { postAt } from '@/testing/ledger/statement-scene';
import { openScheduleScene, type ScheduleScene } from '@/testing/payouts/schedule-scene';
import { balancesOf } from './hold';
import { requestPayout } from './request';
import { readRefundReserves } from './reserve';
import type { ScheduleKey } from './schedules/rows';
import { removeSchedule } from './schedules/set';

let scene: ScheduleScene;
let key: ScheduleKey;
beforeAll(async () => void (scene = await openScheduleScene()));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.database.pool.query(`UPDATE payout_schedules SET interval = 'manual', next_run_at = NULL`);
  await scene.at('2026-11-27T10:00:00Z');
  key = await scene.store();
});

let number = 0;
const request = (amount: bigint, asset = {}) =>
  requestPayout(
    scene.context,
    { storeId: key.storeId, environment: key.environment, record: async () => {} },
    { ...key, ...asset, payoutId: `po-${number++}`, amount, description: null },
  );
const refusal = async (amount: bigint) => {
  const made = await request(amount);
  return 'refused' in made ? made.refused : null;
};
const refund = (cents: bigint) =>
  transaction(scene.database.pool, (tx) =>
    reserveRefund(
      tx,
      { intentId: `re-${number++}`, storeId: key.storeId, environment: key.environment, sessionId: 'cs_1' },
      [{ network: key.network, currency: key.currency, amount: cents * 10_000n }],
    ),
  );

it('a payout by hand leaves it, to the cent, and the refusal says what is kept', async () => {
  await scene.receive(key, 5000n);
  await scene.reserve(key, 2000n);
  expect(await refusal(3001n)).toMatchObject({ code: 'balance', missing: 1n, reserve: 2000n, pending: 0n });
  expect(await request(3000n)).toHaveProperty('id');
  expect(await refusal(100n)).toMatchObject({ missing: 100n });
});

it('where less than it is there, a payout lacks its whole amount and not more', async () => {
  await scene.receive(key, 500n);
  await scene.reserve(key, 2000n);
  expect(await refusal(300n)).toMatchObject({ code: 'balance', missing: 300n, reserve: 2000n });
});

it('refunds take it, and then less of it is there to be kept', async () => {
  await scene.receive(key, 2500n);
  await scene.reserve(key, 2000n);
  expect(await refund(2200n)).toBe(true);
  expect(await refusal(100n)).toMatchObject({ code: 'balance' });
  const [balance] = await balancesOf(scene.context, { ...key, hours: 0 });
  expect(balance).toMatchObject({ available: { cents: 0n }, kept: { cents: 300n }, reserved: { cents: 2200n } });
  expect(await refund(301n)).toBe(false);
  expect(await refund(300n)).toBe(true);
});

it('is beside what is too young to be paid out, and pages show both apart', async () => {
  await scene.database.pool.query('UPDATE stores SET payout_hold_hours = 24 WHERE id = $1', [key.storeId]);
  await scene.receive(key, 1000n);
  await postAt(scene.database.pool, key, {
    ...{ at: '2026-11-27T09:00:00Z', sessionId: `${key.storeId}-young` },
    moves: [{ network: key.network, currency: key.currency, part: 'available', amount: 5_000_000n }],
  });
  await scene.reserve(key, 200n);
  const [balance] = await balancesOf(scene.context, { ...key, hours: 24 });
  expect(balance).toMatchObject({ available: { cents: 800n }, pending: { cents: 500n }, kept: { cents: 200n } });
  expect(await refusal(801n)).toMatchObject({ missing: 1n, reserve: 200n, pending: 500n });
  expect(await request(800n)).toHaveProperty('id');
});

it('is of one token, network and environment', async () => {
  await scene.receive(key, 1000n);
  await scene.reserve({ ...key, currency: 'USDC' }, 900n);
  await scene.reserve({ ...key, network: 'bsc' }, 900n);
  await scene.reserve({ ...key, environment: 'live' }, 900n);
  expect(await request(1000n)).toHaveProperty('id');
});

it('a schedule leaves it, and it stays when the schedule is changed and removed', async () => {
  await scene.receive(key, 1000n);
  await scene.reserve(key, 300n);
  await scene.set(key);
  await scene.at('2026-11-28T00:00:00Z');
  expect(await scene.payouts(key)).toMatchObject([{ amount: 700n }]);
  await scene.cancelAll(key);
  await scene.set(key, { interval: 'monthly' });
  await removeSchedule(scene.context, key, async () => {});
  expect(await refusal(701n)).toMatchObject({ missing: 1n });
  expect(await readRefundReserves(scene.database.pool, key)).toEqual([
    { network: 'ethereum', currency: 'USDT', cents: 300n },
  ]);
  await scene.reserve(key, 0n);
  expect(await request(1000n)).toHaveProperty('id');
});

it('is refused for a token that the network lacks', async () => {
  expect(await scene.reserve({ ...key, currency: 'EURC' }, 1n)).toEqual({ refused: { code: 'unknown_asset' } });
  expect(await readRefundReserves(scene.database.pool, key)).toEqual([]);
});

it('a payout that is requested while it is raised is within the old one, and none after it', async () => {
  await scene.receive(key, 5000n);
  const raised = scene.reserve(key, 5000n).then(() => refusal(100n));
  const made = await Promise.all([request(3000n), raised]);
  expect(made[1]).toMatchObject({ code: 'balance' });
});
