// Refunds are limited in number, per session and per store and day, however many are requested at once. A repeated request gets the
// existing refund and does not count.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeMerchant, refundRequest } from '@/testing/refunds/refund-caller';
import { cancelRefund } from './cancel';
import { MAX_PER_DAY, MAX_PER_SESSION } from './counts';
import { createRefund } from './create';
import { moveRefund } from '@/lib/refunds/states';

/** A quarter past six in the evening, UTC. */
const clock = new TestClock(Date.UTC(2027, 0, 15, 18, 15) / 1000);
const TO_MIDNIGHT = 20_700;
let db: TestDatabase;
let context: Context;

beforeAll(async () => {
  db = await openTestDatabase(20);
  db.pool.options.connectionTimeoutMillis = 30_000;
  context = testContext(db, clock);
});
afterAll(() => db.close());

async function scene() {
  const merchant = await makeMerchant(db, context);
  await db.pool.query('UPDATE stores SET refund_day_limit = 1000000000 WHERE id = $1', [merchant.storeId]);
  const create = (sessionId: string, refundId: string = randomUUID()) =>
    createRefund(
      context,
      merchant.caller(),
      refundRequest({ session_id: sessionId, amount: 1, refund_id: refundId }),
    ).then(
      () => 'made',
      (error) => error,
    );
  return {
    ...merchant,
    create,
    paid: () => makePaidSession(db, { storeId: merchant.storeId, closedAt: clock.now(), cents: 100_000 }),
    cancel: (refundId: string) => cancelRefund(context, merchant.caller(), refundId),
    /** As if the store had made this many already. */
    made: (count: number) =>
      db.pool.query('UPDATE refund_days SET count = $2 WHERE store_id = $1', [merchant.storeId, count]),
    counted: async () => (await db.prisma.refundDay.findFirstOrThrow({ where: { storeId: merchant.storeId } })).count,
  };
}
const refused = expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: TO_MIDNIGHT });

test('of many refunds of one session at once fifty are made, and a canceled one makes room for another', async () => {
  const { paid, create, cancel } = await scene();
  const session = await paid();
  const names = Array.from({ length: MAX_PER_SESSION + 20 }, () => randomUUID());
  const answers = await Promise.all(names.map((name) => create(session, name)));
  const made = names.filter((_, n) => answers[n] === 'made');
  expect(made).toHaveLength(MAX_PER_SESSION);
  expect(answers.filter((one) => one !== 'made')).toEqual(Array(20).fill(refused));
  const { amountRefunded } = await db.prisma.session.findUniqueOrThrow({ where: { id: session } });
  expect(amountRefunded).toBe(BigInt(MAX_PER_SESSION));

  expect(await create(session, made[0])).toBe('made');
  expect(await create(await paid())).toBe('made');
  await cancel(made[0]!);
  expect([await create(session), await create(session)]).toEqual(['made', refused]);
}, 60_000);

test('a failed refund no longer counts for its session, and waiting makes no room', async () => {
  const { paid, create } = await scene();
  const session = await paid();
  for (let n = 0; n < MAX_PER_SESSION; n++) expect(await create(session)).toBe('made');
  expect(await create(session)).toMatchObject({ message: expect.stringContaining('Waiting makes no room') });
  const of = { sessionId: session };
  const { id } = await db.prisma.refund.findFirstOrThrow({ where: of });
  const at = clock.now();
  await transaction(db.pool, async (tx) => {
    await moveRefund(tx, id, 'begin', { at, signAfter: at });
    expect(await moveRefund(tx, id, 'fail', { at, failureReason: 'The token refused it.' })).toBe(true);
  });
  expect([await create(session), await create(session)]).toEqual(['made', refused]);
}, 60_000);

test('a canceled refund no longer counts for its day', async () => {
  const { paid, create, cancel, counted } = await scene();
  const [session, name] = [await paid(), randomUUID()];
  await create(session);
  await create(session, name);
  expect(await counted()).toBe(2);
  await cancel(name);
  expect(await counted()).toBe(1);
});

test('of many refunds of one store at once the day’s number is made, whatever their sessions, and the next day has its own', async () => {
  const { paid, create, made, counted } = await scene();
  const sessions = await Promise.all(Array.from({ length: 10 }, () => paid()));
  const first = randomUUID();
  expect(await create(sessions[0]!, first)).toBe('made');
  await made(MAX_PER_DAY - 12);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => create(sessions[n % 10]!)));
  expect(answers.filter((one) => one === 'made')).toHaveLength(12);
  expect(answers.filter((one) => one !== 'made')).toEqual(Array(28).fill(refused));
  expect(await counted()).toBe(MAX_PER_DAY);

  expect(await create(sessions[0]!, first)).toBe('made');
  expect(await counted()).toBe(MAX_PER_DAY);
  clock.advance(TO_MIDNIGHT);
  expect(await create(sessions[0]!)).toBe('made');
}, 60_000);
