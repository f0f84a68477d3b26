// Refunds of one session, one day and one name at once, on the real database: never more than was paid, never more than the day's limit,
// never two with one name.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeMerchant, refundRequest } from '@/testing/refunds/refund-caller';
import { createRefund } from './create';
import type { RefundFacts } from '@/lib/refunds/view';

/** Each takes up to two seconds on a busy machine. */
const ROUNDS = 40;
const AT_ONCE = 30;
let db: TestDatabase;
let context: Context;

beforeAll(async () => {
  db = await openTestDatabase(20);
  // A queue of hundreds of requests waits longer for the pool than a real request may.
  db.pool.options.connectionTimeoutMillis = 30_000;
  context = testContext(db, new TestClock());
});
afterAll(() => db.close());

async function scene(cents: number, limit = 1_000_000_000) {
  const merchant = await makeMerchant(db, context);
  await db.pool.query('UPDATE stores SET refund_day_limit = $2 WHERE id = $1', [merchant.storeId, limit]);
  const paid = (of = cents) =>
    makePaidSession(db, { storeId: merchant.storeId, closedAt: context.clock.now(), cents: of });
  const create = (session_id: string, amount: number, refund_id: string = randomUUID()) =>
    createRefund(context, merchant.caller(), refundRequest({ session_id, amount, refund_id }));
  return { ...merchant, paid, create };
}
/** The accepted refunds, and the codes with which the others were refused. */
async function outcome(requested: Promise<RefundFacts>[]) {
  const answers = await Promise.allSettled(requested);
  const made = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const codes = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.code as string] : []));
  return { made, sum: made.reduce((sum, { amount }) => sum + Number(amount), 0), codes: [...new Set(codes)] };
}

test(`of ${AT_ONCE} partial refunds at once for three times the payment, those that fit are accepted, ${ROUNDS} times over`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    // Each round has its own store, so that none reaches the limit of refunds per store and day.
    const { paid, create } = await scene(1);
    const price = 100 + round;
    const session = await paid(price);
    const amounts = Array.from({ length: AT_ONCE }, (_, n) => 1 + ((n * 7 + round) % 20));
    const { sum, codes } = await outcome(amounts.map((amount) => create(session, amount)));
    expect(sum).toBeLessThanOrEqual(price);
    expect(codes).toEqual(['REFUND_AMOUNT_EXCEEDED']);
    const { amountRefunded } = await db.prisma.session.findUniqueOrThrow({ where: { id: session } });
    expect(Number(amountRefunded)).toBe(sum);
    // The smallest amount would still have fit if that much had been left.
    expect(price - sum).toBeLessThan(20);
  }
}, 120_000);

test('of 200 refunds at once for twice the day’s limit, exactly the limit is accepted', async () => {
  const { paid, create, storeId } = await scene(1_000, 1_000);
  const sessions = await Promise.all(Array.from({ length: 8 }, () => paid()));
  const { sum, codes } = await outcome(Array.from({ length: 200 }, (_, n) => create(sessions[n % 8] as string, 10)));
  expect(sum).toBe(1_000);
  expect(codes).toEqual(['DAILY_REFUND_LIMIT_EXCEEDED']);
  expect(await db.prisma.refundDay.findMany({ where: { storeId } })).toMatchObject([{ amount: 1_000n }]);
}, 60_000);

test('of 100 copies of one refund at once, one is created and all of them return it', async () => {
  const { paid, create } = await scene(300);
  const [session, name] = [await paid(), randomUUID()];
  const { made, codes } = await outcome(Array.from({ length: 100 }, () => create(session, 150, name)));
  expect(codes).toEqual([]);
  expect(made).toHaveLength(100);
  for (const one of made) expect(one).toEqual(made[0]);
  const { amountRefunded } = await db.prisma.session.findUniqueOrThrow({ where: { id: session } });
  expect(amountRefunded).toBe(150n);
}, 60_000);

test('one name for refunds of several sessions at once makes one refund, and a conflict for the others', async () => {
  const { paid, create, storeId } = await scene(300);
  for (let round = 0; round < 10; round++) {
    const [sessions, name] = [await Promise.all([paid(), paid(), paid(), paid()]), randomUUID()];
    const { made, codes } = await outcome(sessions.map((session) => create(session, 10, name)));
    expect(made).toHaveLength(1);
    expect(codes).toEqual(['REFUND_ID_CONFLICT']);
    expect(await db.prisma.refund.count({ where: { storeId, refundId: name } })).toBe(1);
  }
}, 60_000);

test('a store’s last money is refunded once, whichever sessions request it', async () => {
  const { create, storeId } = await scene(1);
  const given = { storeId, closedAt: context.clock.now(), cents: 100 };
  const sessions = await Promise.all([100, 1, 1].map((part) => makePaidSession(db, { ...given, received: part })));
  const { sum, codes } = await outcome(Array.from({ length: 30 }, (_, n) => create(sessions[n % 3] as string, 10)));
  expect(sum).toBe(100);
  expect(codes.toSorted()).toEqual(['INSUFFICIENT_BALANCE']);
}, 60_000);
