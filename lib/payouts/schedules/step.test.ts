// The worker's step of payout schedules on a real database: each period pays once, whatever fails or runs at the same time.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reserveRefund } from '@/lib/ledger/post-refund';
import { transaction } from '@/lib/platform/database/db';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openScheduleScene, type ScheduleScene } from '@/testing/payouts/schedule-scene';
import type { ScheduleKey } from './rows';
import { createRefundByStore } from '@/lib/refunds/request/by-store';
import { makePaidSession } from '@/testing/payments/paid-session';
import { removeSchedule } from './set';

let scene: ScheduleScene;
let key: ScheduleKey;
let endFault = async () => {};
beforeAll(async () => void (scene = await openScheduleScene()));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.database.pool.query(`UPDATE payout_schedules SET interval = 'manual', next_run_at = NULL`);
  await scene.at('2026-11-27T10:00:00Z');
  key = await scene.store();
});
afterEach(async () => {
  await endFault();
  endFault = async () => {};
  await scene.database.pool.query('TRUNCATE quarantine');
});

const names = async () => (await scene.payouts(key)).map(({ payoutId }) => payoutId);

describe('a period', () => {
  it.each([
    ['daily', '2026-11-28', 'scheduled_2026-11-28_ethereum_usdt'],
    ['weekly', '2026-11-30', 'scheduled_2026-11-30_ethereum_usdt'],
    ['monthly', '2026-12-01', 'scheduled_2026-12-01_ethereum_usdt'],
  ] as const)(
    'of a %s schedule pays the whole balance once when it starts, not before',
    async (interval, day, name) => {
      await scene.receive(key, 5000n);
      await scene.set(key, { interval });
      await scene.at(new Date(Date.parse(`${day}T00:00:00Z`) - 1).toISOString());
      expect(await scene.payouts(key)).toEqual([]);
      await scene.at(`${day}T00:00:00Z`);
      expect(await scene.payouts(key)).toEqual([{ payoutId: name, amount: 5000n }]);
      await scene.receive(key, 700n);
      await scene.at(`${day}T23:59:59Z`);
      expect(await scene.payouts(key)).toHaveLength(1);
    },
  );

  it('that the worker was stopped for is not paid later: the next one pays everything', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await scene.at('2026-12-03T15:00:00Z');
    expect(await scene.payouts(key)).toEqual([{ payoutId: 'scheduled_2026-12-03_ethereum_usdt', amount: 5000n }]);
    expect((await scene.read(key)).nextRunAt).toEqual(new Date('2026-12-04T00:00:00Z'));
  });

  it('is paid again in the next one, and the audit log names the system', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await scene.at('2026-11-28T00:00:01Z');
    await scene.cancelAll(key);
    await scene.receive(key, 250n);
    await scene.at('2026-11-29T00:00:01Z');
    expect(await scene.payouts(key)).toEqual([
      { payoutId: 'scheduled_2026-11-28_ethereum_usdt', amount: 5000n },
      { payoutId: 'scheduled_2026-11-29_ethereum_usdt', amount: 5250n },
    ]);
    const { rows } = await scene.database.pool.query(
      'SELECT actor, action, target, details FROM audit_entries WHERE store_id = $1 ORDER BY number',
      [key.storeId],
    );
    expect(rows).toMatchObject([
      { actor: 'system', action: 'payout.request', target: 'scheduled_2026-11-28_ethereum_usdt' },
      { actor: 'system', details: { amount: '5250', network: 'ethereum', currency: 'USDT', schedule: 'daily' } },
    ]);
  });

  it('whose payout its owner canceled requests no other one', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await scene.at('2026-11-28T00:00:01Z');
    await scene.cancelAll(key);
    await scene.at('2026-11-28T12:00:00Z');
    expect(await names()).toEqual(['scheduled_2026-11-28_ethereum_usdt']);
    await scene.at('2026-11-29T00:00:00Z');
    expect(await names()).toHaveLength(2);
  });

  it('pays no fraction of a cent, and nothing that waits for a decision', async () => {
    await scene.receive(key, 5000n);
    await scene.receive(key, 900n, 'unresolved');
    await scene.database.pool.query(`UPDATE ledger_balances SET amount = amount - 9999 WHERE account = $1`, [
      `store:${key.storeId}`,
    ]);
    await scene.set(key);
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.payouts(key)).toMatchObject([{ amount: 5000n }]);
  });
});

describe('the least amount and what is kept', () => {
  it('a smaller payout waits for the next period, with the reason', async () => {
    await scene.receive(key, 5999n);
    await scene.set(key, { least: 1000n });
    await scene.reserve(key, 5000n);
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.read(key)).toMatchObject({ reason: 'balance', nextRunAt: new Date('2026-11-29T00:00:00Z') });
    await scene.receive(key, 1n);
    await scene.at('2026-11-28T12:00:00Z');
    expect(await scene.payouts(key)).toEqual([]);
    await scene.at('2026-11-29T00:00:00Z');
    expect(await scene.payouts(key)).toMatchObject([{ amount: 1000n }]);
    expect(await scene.read(key)).toMatchObject({ reason: null });
  });

  it('a balance below what is kept pays nothing', async () => {
    await scene.receive(key, 300n);
    await scene.set(key);
    await scene.reserve(key, 1000n);
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.payouts(key)).toEqual([]);
    expect(await scene.read(key)).toMatchObject({ reason: 'balance' });
  });

  it('what is kept stays in the balance although a refund is requested at the same time', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await scene.reserve(key, 2000n);
    await scene.at('2026-11-27T12:00:00Z');
    const refund = { intentId: 're_1', storeId: key.storeId, environment: 'test', sessionId: 'cs_1' } as const;
    const takes = [{ network: 'ethereum', currency: 'USDT', amount: 1500n * 10_000n }];
    let step: Promise<unknown> = Promise.resolve();
    await transaction(scene.database.pool, async (tx) => {
      expect(await reserveRefund(tx, refund, takes)).toBe(true);
      step = scene.at('2026-11-28T00:00:00Z');
      // The step is waiting for the balance when the refund commits.
      const waits = `SELECT FROM pg_locks WHERE NOT granted
        AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;
      await expect.poll(async () => (await scene.database.pool.query(waits)).rowCount).toBeGreaterThan(0);
    });
    await step;
    expect(await scene.payouts(key)).toMatchObject([{ amount: 1500n }]);
  });
});

describe('what comes first', () => {
  it('a former payout that has not ended: nothing piles up behind it', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await scene.at('2026-11-28T00:00:00Z');
    await scene.receive(key, 700n);
    await scene.at('2026-11-29T00:00:00Z');
    expect(await names()).toHaveLength(1);
    expect(await scene.read(key)).toMatchObject({ reason: 'open', nextRunAt: new Date('2026-11-29T00:10:00Z') });
    await scene.cancelAll(key);
    await scene.at('2026-11-29T00:10:00Z');
    expect(await names()).toEqual(['scheduled_2026-11-28_ethereum_usdt', 'scheduled_2026-11-29_ethereum_usdt']);
  });

  it('a refund that waits for the balance, and not one that has its money', async () => {
    const closedAt = new Date('2026-11-27T10:00:00Z');
    const sessionId = await makePaidSession(scene.database, { storeId: key.storeId, closedAt, cents: 3000 });
    const refund = await createRefundByStore(
      scene.context,
      { storeId: key.storeId, environment: 'test', record: async () => {} },
      { session_id: sessionId, refund_id: 'r-1', amount: 1000, currency: 'USDT' },
    );
    await scene.set(key);
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.payouts(key)).toMatchObject([{ amount: 2000n }]);
    await scene.cancelAll(key);
    // As a refund is that was requested while the balance was too small.
    await transaction(scene.database.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(`UPDATE ledger_entries SET kind = 'refund_released' WHERE intent_id = $1`, [refund.id]);
    });
    await scene.at('2026-11-29T00:00:00Z');
    expect((await scene.payouts(key)).at(-1)).toMatchObject({ amount: 1000n });
  });

  it.each(['frozen', 'unavailable'] as const)('the signer: nothing is requested while it is %s', async (verdict) => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    scene.signer.verdict = verdict;
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.payouts(key)).toEqual([]);
    scene.signer.verdict = 'ok';
    await scene.at('2026-11-28T00:00:05Z');
    expect(await scene.payouts(key)).toMatchObject([{ amount: 5000n }]);
  });
});

describe('a refused payout', () => {
  it('without an address is tried again every ten minutes in its period, and paid under the same name', async () => {
    key = await scene.store({ hasAddress: false });
    await scene.receive(key, 5000n);
    await scene.set(key, { interval: 'weekly' });
    await scene.at('2026-11-30T00:00:00Z');
    expect(await scene.read(key)).toMatchObject({ reason: 'no_address', nextRunAt: new Date('2026-11-30T00:10:00Z') });
    await scene.address(key);
    await scene.at('2026-11-30T00:09:59Z');
    expect(await names()).toEqual([]);
    await scene.at('2026-12-03T08:00:00Z');
    expect(await names()).toEqual(['scheduled_2026-11-30_ethereum_usdt']);
    expect(await scene.read(key)).toMatchObject({ reason: null, nextRunAt: new Date('2026-12-07T00:00:00Z') });
  });

  it('of a suspended store is tried again', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await forceStoreStatus(scene.database.pool, key.storeId, 'suspended');
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.read(key)).toMatchObject({ reason: 'not_active' });
    await forceStoreStatus(scene.database.pool, key.storeId, 'approved');
    await scene.at('2026-11-28T01:00:00Z');
    expect(await names()).toHaveLength(1);
  });

  it.each(['daily', 'threshold'] as const)('of a token that does not exist here says so: %s', async (interval) => {
    await scene.set(key, { interval });
    await scene.database.pool.query(`UPDATE payout_schedules SET network = 'dogecoin' WHERE store_id = $1`, [
      key.storeId,
    ]);
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.read({ ...key, network: 'dogecoin' })).toMatchObject({ reason: 'unknown_asset' });
  });
});

describe('exactly once', () => {
  it('five workers at once request one payout', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await scene.at('2026-11-27T23:59:59Z');
    await Promise.all(Array.from({ length: 5 }, () => scene.at('2026-11-28T00:00:00Z')));
    expect(await scene.payouts(key)).toMatchObject([{ amount: 5000n }]);
    expect(await openQuarantine(scene.database.pool)).toEqual([]);
  });

  it('a worker that ends before the schedule is marked has requested nothing, and the next one requests it', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    endFault = await makeFault(scene.database.pool, {
      ...{ table: 'payout_schedules', on: 'UPDATE', isDeferred: true },
      row: `NEW.store_id = '${key.storeId}' AND NEW.last_payout_id IS NOT NULL`,
    });
    await scene.at('2026-11-28T00:00:00Z');
    expect(await scene.payouts(key)).toEqual([]);
    await endFault();
    endFault = async () => {};
    await scene.at('2026-11-28T00:01:00Z');
    expect(await scene.payouts(key)).toMatchObject([{ amount: 5000n }]);
    expect(await openQuarantine(scene.database.pool)).toEqual([]);
  });

  it.each([
    ['daily', '2026-11-28T00:00:00Z'],
    ['threshold', '2026-11-27T10:00:00Z'],
  ] as const)(
    'a database that was restored to before a %s payout names the same payment again',
    async (interval, when) => {
      await scene.receive(key, 5000n);
      await scene.set(key, { interval });
      const before = await scene.read(key);
      await scene.at(when);
      const [paid] = await scene.database.prisma.payout.findMany({ where: { storeId: key.storeId } });
      await transaction(scene.database.pool, async (tx) => {
        await tx.query('SET LOCAL session_replication_role = replica');
        for (const [table, column] of [
          ['payouts', 'id'],
          ['ledger_entries', 'intent_id'],
        ])
          await tx.query(`DELETE FROM ${table} WHERE ${column} = $1`, [paid?.id]);
        await tx.query('UPDATE ledger_balances SET amount = -50000000 WHERE account = $1', [`store:${key.storeId}`]);
        await tx.query('UPDATE payout_schedules SET count = $2, next_run_at = $3 WHERE store_id = $1', [
          ...[key.storeId, before.count, before.nextRunAt],
        ]);
      });
      await scene.receive(key, 123n);
      await scene.at(when);
      const [again] = await scene.database.prisma.payout.findMany({ where: { storeId: key.storeId } });
      expect(again).toMatchObject({ id: paid?.id, amount: 5123n });
    },
  );

  it('a name that a payout has already ends the period without a second one', async () => {
    await scene.receive(key, 5000n);
    await scene.set(key);
    await scene.at('2026-11-28T00:00:00Z');
    await scene.cancelAll(key);
    await scene.database.pool.query('UPDATE payout_schedules SET next_run_at = $2 WHERE store_id = $1', [
      ...[key.storeId, new Date('2026-11-28T00:00:00Z')],
    ]);
    await scene.at('2026-11-28T01:00:00Z');
    expect(await names()).toHaveLength(1);
    expect(await scene.read(key)).toMatchObject({ reason: null, nextRunAt: new Date('2026-11-29T00:00:00Z') });
  });
});

it('a schedule that fails waits in quarantine, and 40 others are paid in the same run', async () => {
  await scene.receive(key, 5000n);
  await scene.set(key);
  const others = [];
  for (let count = 0; count < 40; count++) {
    const other = await scene.store();
    await scene.receive(other, 1000n);
    await scene.set(other);
    others.push(other);
  }
  endFault = await makeFault(scene.database.pool, {
    ...{ table: 'payouts', on: 'INSERT', row: `NEW.store_id = '${key.storeId}'` },
  });
  await scene.at('2026-11-28T00:00:00Z');
  for (const other of others) expect(await scene.payouts(other)).toMatchObject([{ amount: 1000n }]);
  expect(await scene.payouts(key)).toEqual([]);
  expect(await openQuarantine(scene.database.pool)).toMatchObject([
    { kind: 'payout_schedule', id: `${key.storeId} test ethereum USDT` },
  ]);
});

it('a schedule that was removed requests nothing, and its number of payouts stays', async () => {
  await scene.receive(key, 5000n);
  await scene.set(key, { interval: 'threshold' });
  await scene.at('2026-11-27T10:00:00Z');
  const recorded: string[] = [];
  const remove = () => removeSchedule(scene.context, key, async () => void recorded.push('removed'));
  expect([await remove(), await remove(), recorded]).toEqual([true, false, ['removed']]);
  await scene.receive(key, 5000n);
  await scene.at('2026-12-28T00:00:00Z');
  expect(await names()).toEqual(['scheduled_1_ethereum_usdt']);
  await scene.cancelAll(key);
  await scene.set(key, { interval: 'threshold' });
  await scene.at('2026-12-28T00:00:00Z');
  expect(await names()).toEqual(['scheduled_1_ethereum_usdt', 'scheduled_2_ethereum_usdt']);
});
