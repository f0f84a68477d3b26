// Random histories of refunds whose store pays their cost, with workers that stop or run concurrently: every cost is charged once, at
// most its quote, and no account is overdrawn.

import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { SendHold } from '@/lib/networks/sending/send';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { transaction } from '@/lib/platform/database/db';
import { brokenBooks, FEE, landedFor, useCostScenes } from '@/testing/watching/cost-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
const { time, chain, setPrice, open } = useCostScenes(() => db);
afterEach(() => armCrashPoint(undefined));

it('does not send both of two refunds when the balance covers only one', async () => {
  const scene = await open({ cents: 860 });
  const ids = [await scene.create('one', 400), await scene.create('two', 400)];
  await Promise.all([scene.pass(), scene.pass()]);
  // The second refund waits until the first one's nonce is signed, and is then put on hold, because the balance covers only one.
  time.now += 60_000;
  await Promise.all([scene.pass(), scene.pass()]);
  const refunds = await Promise.all(ids.map(scene.read));
  expect(refunds.filter(({ costBearer }) => costBearer === 'store')).toHaveLength(1);
  expect(refunds.filter(({ hold }) => hold === 'insufficient_balance')).toHaveLength(1);
  expect(await scene.books()).toEqual({ 'store USDT': 15, 'refund USDT': 845 });
});

it.each(CRASH_POINTS)('charges once when a worker stops at %s and others continue', async (point) => {
  const scene = await open();
  const id = await scene.create('r', 400);
  chain.outcome = (hash) => landedFor(hash, FEE);
  armCrashPoint(point, () => {
    throw new Error(`stopped at ${point}`);
  });
  await scene.pass().catch(() => {});
  await scene.pass().catch(() => {});
  armCrashPoint(undefined);
  for (let turn = 0; turn < 3; turn++) {
    time.now += 60_000;
    await Promise.all([scene.pass(), scene.pass()]);
  }
  expect(await scene.read(id)).toMatchObject({ status: 'completed', costCharged: 10n });
  expect(await scene.books()).toEqual({ 'store USDT': 590, 'cost_recovery USDT': 10 });
  expect(await brokenBooks(db)).toEqual([]);
});

it('locks the store’s balance before the reserve, as every posting does, so that completing and creating refunds never deadlock', async () => {
  const scene = await open();
  const id = await scene.create('r', 400);
  await scene.pass();
  chain.outcome = (hash) => landedFor(hash, FEE);
  const lock = `SELECT FROM ledger_balances WHERE account = $1 FOR UPDATE`;
  const passing = await transaction(db.pool, async (tx) => {
    await tx.query(lock, [`store:${scene.storeId}`]);
    const passed = scene.pass();
    await vi.waitFor(
      async () => {
        const { rowCount } = await db.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBe(1);
      },
      { timeout: 60_000, interval: 20 },
    );
    await tx.query(`${lock} NOWAIT`, [`refund:${scene.storeId}`]);
    return { passed };
  });
  await passing.passed;
  expect(await scene.read(id)).toMatchObject({ status: 'completed', costCharged: 10n });
});

const pick = fc.nat(20);
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('refund' as const), cents: fc.constantFrom(1, 30, 250, 400, 990) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pay' as const), cents: fc.constantFrom(20, 45, 300) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      end: fc.constantFrom('none', 'lands', 'lands', 'reverts', 'obstacle'),
      fee: fc.option(fc.bigInt({ min: 0n, max: 10n * FEE }), { nil: undefined }),
      workers: fc.constantFrom(1, 1, 2),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('price' as const), dollars: fc.constantFrom('1', '2500', '90000', null) }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

it('no history overdraws a store, charges a cost twice or above its quote, or leaves an entry out of balance', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 18 }), async (commands) => {
      await setPrice('2500');
      Object.assign(chain, { outcome: null, obstacle: null });
      const scene = await open();
      const sessions = [scene.session_id];
      let made = 0;
      const run = async (one: Command): Promise<unknown> => {
        time.now += 60_000;
        switch (one.kind) {
          case 'refund':
            return scene.create(`r${made++}`, one.cents, {
              session_id: sessions[one.cents % sessions.length] as string,
            });
          case 'pay':
            return sessions.push(await scene.pay(one.cents));
          case 'cancel':
            return scene.cancel(`r${one.pick % Math.max(1, made)}`);
          case 'price':
            return setPrice(one.dollars);
          case 'pass': {
            chain.obstacle = one.end === 'obstacle' ? new SendHold('no_tokens', 'too little') : null;
            chain.outcome = null;
            if (one.end === 'lands') chain.outcome = (hash) => landedFor(hash, one.fee);
            if (one.end === 'reverts')
              chain.outcome = (hash) => ({ kind: 'reverted', hash, reason: 'why', fee: one.fee ?? 0n });
            return Promise.all(Array.from({ length: one.workers }, () => scene.pass()));
          }
        }
      };
      for (const one of commands) {
        await run(one).catch((error: unknown) => {
          // The errors that the service may return; any other, such as a violated CHECK, is a bug.
          if (!/^[A-Z]+(_[A-Z]+)+$/.test((error as { code?: string }).code ?? '')) throw error;
        });
        expect(await brokenBooks(db)).toEqual([]);
      }
      const refunds = await db.prisma.refund.findMany({ where: { storeId: scene.storeId } });
      for (const { status, costQuoted, costCharged } of refunds) {
        const isEnded = status !== 'pending' && status !== 'processing';
        expect(costCharged !== null).toBe(isEnded && costQuoted !== null);
        expect((costCharged ?? 0n) <= (costQuoted ?? 0n)).toBe(true);
        if (status === 'canceled') expect(costCharged ?? 0n).toBe(0n);
      }
      // What the operator recovered equals the sum over the refunds, to the base unit.
      const charged = refunds.reduce((sum, { costCharged }) => sum + (costCharged ?? 0n), 0n);
      expect((await scene.books())['cost_recovery USDT'] ?? 0).toBe(Number(charged));
    }),
    { numRuns: 25 },
  );
}, 300_000);
