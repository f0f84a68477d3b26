// A store's limits hold for every session, however many are requested at once; a store without limits costs nothing extra.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { MerchantKey } from '@/lib/merchants/api-keys/verify-key';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newSessionId } from '@/lib/platform/ids';
import { setStoreLimits, type StoreLimits } from '@/lib/merchants/stores/limits';
import type { SessionBudget, SessionStatus } from '@/prisma/generated/enums';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeAddresses, makeChain, makeStore, TestClock, testConfig } from '@/testing/fixtures';
import { createStatement, type CreateOutcome } from './statement';
import { checkLimits } from './limits';

const ADDRESSES = 30;
const DOER = { by: 'user:1', address: '192.0.2.1' };
const clock = new TestClock();

let db: TestDatabase | undefined;
let key: MerchantKey;

afterAll(() => db?.close());
beforeEach(async () => {
  await db?.close();
  db = await openTestDatabase();
  const { keyId, storeId } = await makeStore(db, testConfig());
  key = { id: keyId, storeId, environment: 'test', acceptsOtherToken: false } as MerchantKey;
  await makeChain(db, 'ethereum', 1_800_000_000);
  await makeAddresses(db, ADDRESSES);
});

const database = (): TestDatabase => db as TestDatabase;

async function limit(limits: Partial<StoreLimits>): Promise<void> {
  const { version } = await database().prisma.store.findUniqueOrThrow({ where: { id: key.storeId } });
  const all = {
    sessionLimit: null,
    dayLimit: null,
    refundDayLimit: 1000n,
    refundWindowDays: 180,
    payoutHoldHours: 0,
    ...limits,
  };
  await setStoreLimits({ pool: database().pool, clock }, { storeId: key.storeId, version, limits: all }, DOER);
}

/** `made`, or the error code. */
async function create(amount: bigint, orderId: string = randomUUID(), budget?: SessionBudget): Promise<string> {
  const { rows } = await database().pool.query<CreateOutcome>(
    createStatement(
      { key, nonce: randomUUID() },
      {
        id: newSessionId('test'),
        request: { amount: Number(amount), currency: 'USD', order_id: orderId, expires_in: 1800 },
        price: { amountTotal: amount, currency: 'USD', amountDue: amount, currencies: ['USDT'], conversion: null },
        createdAt: clock.now(),
        expiresAt: clock.now(),
        answer: '{}',
        idempotency: null,
        budget,
        networks: ['ethereum'],
        pairs: ['ethereum-USDT'],
      },
    ),
  );
  const outcome = rows[0] as CreateOutcome;
  if (outcome.made) return 'made';
  try {
    checkLimits(outcome, clock.now());
    return 'refused for another reason';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code;
  }
}

const freeAddresses = () => database().prisma.addressPoolEntry.count();
const counted = async () =>
  (await database().prisma.sessionDay.findMany({ where: { environment: 'test', budget: 'store' } })).map(
    (row) => row.amount,
  );
/** Closes the session of an order, or accepts it late. */
const end = (orderId: string, status: SessionStatus) =>
  database().pool.query(
    `UPDATE sessions SET status = $2::"SessionStatus", closed_at = $3, accepted_from = CASE WHEN status <> 'pending' THEN status END,
       completed_network = CASE WHEN $2 = 'completed' THEN 'ethereum' END, completed_currency = CASE WHEN $2 = 'completed' THEN 'USDT' END,
       completed_transaction = CASE WHEN $2 = 'completed' THEN '0xa' END WHERE order_id = $1`,
    [orderId, status, clock.now()],
  );

test('a session above the limit is rejected: no address is claimed and nothing is counted', async () => {
  await limit({ sessionLimit: 100n, dayLimit: 1000n });
  expect(await create(101n)).toBe('SESSION_LIMIT_EXCEEDED');
  expect(await freeAddresses()).toBe(ADDRESSES);
  expect(await counted()).toEqual([0n]);
  expect(await create(100n)).toBe('made');
});

test('of many concurrent requests, exactly those within the daily limit create sessions', async () => {
  await limit({ dayLimit: 100n });
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => create(10n)));
  expect(outcomes.filter((one) => one === 'made')).toHaveLength(10);
  expect(outcomes.filter((one) => one === 'DAILY_VOLUME_EXCEEDED')).toHaveLength(10);
  expect(await counted()).toEqual([100n]);
  expect(await freeAddresses()).toBe(ADDRESSES - 10);
});

test('rejects an amount above the whole daily limit even as the first session', async () => {
  await limit({ dayLimit: 100n });
  expect(await create(101n)).toBe('DAILY_VOLUME_EXCEEDED');
});

test('a session that is rejected for its order_id is not counted', async () => {
  await limit({ dayLimit: 100n });
  expect(await create(40n, 'same')).toBe('made');
  await expect(create(40n, 'same')).rejects.toMatchObject({ code: '23505' });
  expect(await counted()).toEqual([40n]);
});

test('a limit that is set during a day counts the earlier sessions of the day, and the next day starts from zero', async () => {
  expect(await create(70n)).toBe('made');
  expect(await counted()).toEqual([]);
  await limit({ dayLimit: 100n });
  expect(await create(40n)).toBe('DAILY_VOLUME_EXCEEDED');
  expect(await create(30n)).toBe('made');
  clock.advance(86_400);
  expect(await create(40n)).toBe('made');
});

test.each(['expired', 'canceled', 'failed'] as const)(
  'a session that ends %s gives its part of the day back',
  async (how) => {
    await limit({ dayLimit: 100n });
    expect(await create(100n, 'first')).toBe('made');
    expect(await create(1n)).toBe('DAILY_VOLUME_EXCEEDED');
    await end('first', how);
    expect(await counted()).toEqual([0n]);
    expect(await create(100n)).toBe('made');
  },
);

test('a paid session stays counted, and so does one whose late payment is accepted', async () => {
  await limit({ dayLimit: 100n });
  expect([await create(30n, 'paid'), await create(30n, 'late')]).toEqual(['made', 'made']);
  await end('paid', 'completed');
  await end('late', 'expired');
  expect(await counted()).toEqual([30n]);
  await end('late', 'completed');
  expect(await counted()).toEqual([60n]);
});

test('payment links have their own daily limit of the same size and use none of the store’s', async () => {
  await limit({ dayLimit: 100n });
  expect(await create(100n, 'pressed', 'links')).toBe('made');
  expect(await create(1n, 'pressed-again', 'links')).toBe('DAILY_VOLUME_EXCEEDED');
  expect(await create(100n, 'sold')).toBe('made');
  await end('pressed', 'expired');
  expect(await counted()).toEqual([100n]);
  expect(await create(100n, 'pressed-later', 'links')).toBe('made');
  // Setting a limit recounts both.
  await limit({ dayLimit: 150n });
  expect(await create(51n)).toBe('DAILY_VOLUME_EXCEEDED');
  expect([await create(50n), await create(50n, 'more', 'links')]).toEqual(['made', 'made']);
});

test('a request above the daily limit gets a retry time after midnight UTC', () => {
  const at = new Date('2026-11-21T23:59:30.500Z');
  expect(() => checkLimits({ above_session_limit: null, above_day_limit: '10050' }, at)).toThrow(
    expect.objectContaining({
      code: 'DAILY_VOLUME_EXCEEDED',
      retryAfter: 30,
      message: expect.stringContaining('100.50'),
    }),
  );
});
