// A payment that did not count and is sent back: one refund of its whole cents. It uses no part of a session's price or of the day's
// amount, and counts as one of the day's refunds.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { refundException, type Decision } from '@/lib/payments/exceptions/decide';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { EXPIRES, openSettledSessions, type GivenTransfer } from '@/testing/payments/settled-session';
import { MAX_PER_DAY } from './counts';
import { createRefund } from './create';
import { releaseAmounts } from './release-amounts';
import { caseRefundId, openCaseRefund } from './exception-refund';
import { refundDay } from './rules';
import { moveRefund } from '@/lib/refunds/states';

const clock = openTestClock(EXPIRES + 60);
let db: TestDatabase;
let context: Context;
let world: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  db = await openTestDatabase();
  context = testContext(db, clock, testConfig());
  const chains = { ethereum: await makeChain(db, 'ethereum', EXPIRES), bsc: await makeChain(db, 'bsc', EXPIRES) };
  world = openSettledSessions(db, clock, chains);
});
afterAll(() => db.close());

const nameOf = async (caseId: bigint): Promise<string> => {
  const { transferId } = await db.prisma.paymentException.findUniqueOrThrow({ where: { id: caseId } });
  const { chainId, transactionHash, ordinal } = await db.prisma.transfer.findUniqueOrThrow({
    where: { id: transferId },
  });
  const { genesis } = await db.prisma.chain.findUniqueOrThrow({ where: { id: chainId } });
  return caseRefundId({ genesis, transactionHash, ordinal }, 1);
};

/** A late payment, and a user who may decide about it. */
async function late(given: Partial<GivenTransfer> = {}) {
  const { storeId } = await makeStore(db, context.config);
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  const sessionId = await world.make(storeId, 'expired');
  await world.transfer(sessionId, { cents: 900, ...given });
  await world.settle(sessionId);
  const [found] = await world.casesOf(sessionId);
  const decision: Decision = { caseId: String(found?.id), by: { kind: 'merchant', userId: ownerId, storeId } };
  const refunds = () => db.prisma.refund.findMany({ where: { sessionId }, orderBy: { createdAt: 'asc' } });
  return { storeId, sessionId, decision, caseId: found?.id as bigint, refunds };
}

const countedOf = (storeId: string) =>
  db.prisma.refundDay.findMany({ where: { storeId }, select: { amount: true, count: true } });

const end = (id: string, move: 'cancel' | 'fail') =>
  transaction(db.pool, async (tx) => {
    const at = clock.now();
    if (move === 'fail') await moveRefund(tx, id, 'begin', { at, signAfter: at });
    await moveRefund(tx, id, move, { at, ...(move === 'fail' ? { failureReason: 'reverted' } : {}) });
    const refund = await db.prisma.refund.findUniqueOrThrow({ where: { id } });
    await releaseAmounts(tx, refund);
  });

test('an amount that no refund can hold is refused, and stays to be decided', async () => {
  const { decision, caseId, refunds } = await late({ cents: Number.MAX_SAFE_INTEGER + 1 });
  await expect(refundException(context, decision)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  expect(await refunds()).toEqual([]);
  expect(await db.prisma.paymentException.findUniqueOrThrow({ where: { id: caseId } })).toMatchObject({
    state: 'open',
  });
});

test('a decision to refund makes one pending refund over the whole amount, in its token and on its network', async () => {
  const { decision, caseId, refunds, sessionId, storeId } = await late({ network: 'bsc', currency: 'USDC' });
  for (let again = 0; again < 3; again++) await refundException(context, decision);
  const [refund, ...others] = await refunds();
  expect(others).toEqual([]);
  expect(refund).toMatchObject({
    refundId: await nameOf(caseId),
    caseId,
    amount: 900n,
    currency: 'USDC',
    network: 'bsc',
  });
  expect(refund).toMatchObject({ status: 'pending', orderId: sessionId, storeId });
  expect((await world.read(sessionId)).amountRefunded).toBe(0n);
  expect(await countedOf(storeId)).toEqual([{ amount: 0n, count: 1 }]);
  expect(await world.ledgerOf(sessionId)).toEqual({ received: 900, refund: -900 });
});

test('two decisions at once make one refund', async () => {
  const { decision, refunds } = await late();
  await Promise.all(Array.from({ length: 8 }, () => refundException(context, decision)));
  expect(await refunds()).toHaveLength(1);
});

test.each(['cancel', 'fail'] as const)(
  'after one that ended by %s, the same decision makes the next one, and its coins stay owed',
  async (move) => {
    const { decision, caseId, refunds, sessionId, storeId } = await late();
    await refundException(context, decision);
    const [first] = await refunds();
    await end(first?.id as string, move);
    expect(await countedOf(storeId)).toEqual([{ amount: 0n, count: 0 }]);
    expect(await world.ledgerOf(sessionId)).toEqual({ received: 900, refund: -900 });
    clock.advance(1);
    await refundException(context, decision);
    await refundException(context, decision);
    const name = await nameOf(caseId);
    expect((await refunds()).map(({ refundId }) => refundId)).toEqual([name, `${name}_2`]);
  },
);

test('sends a payment back although the store has made the day’s number of refunds', async () => {
  const { decision, refunds, storeId } = await late();
  await db.pool.query(
    `INSERT INTO refund_days (store_id, environment, day, amount, count) VALUES ($1, 'test', $2::date, 70, $3)`,
    [storeId, refundDay(clock.now()), MAX_PER_DAY],
  );
  await refundException(context, decision);
  expect(await refunds()).toMatchObject([{ status: 'pending' }]);
  expect(await countedOf(storeId)).toEqual([{ amount: 70n, count: MAX_PER_DAY + 1 }]);
});

test('skips a name that a merchant has used for another refund', async () => {
  const { decision, caseId, refunds, storeId } = await late();
  const session_id = await makePaidSession(db, { storeId, closedAt: clock.now(), cents: 500 });
  const { keys } = await db.prisma.store.findUniqueOrThrow({ where: { id: storeId }, include: { keys: true } });
  const key = { id: keys[0]?.id, storeId, environment: 'test' } as Caller['key'];
  await createRefund(
    context,
    { key, nonce: randomUUID() },
    refundRequest({ session_id, refund_id: await nameOf(caseId) }),
  );
  await refundException(context, decision);
  expect((await refunds()).map(({ refundId }) => refundId)).toEqual([`${await nameOf(caseId)}_2`]);
});

test.each([
  [0n, null],
  [9_999n, null],
  [10_000n, 1n],
  [19_999n, 1n],
])('%i base units of a token with six decimals are a refund of %s cents', async (amount, cents) => {
  const { storeId } = await makeStore(db, context.config);
  const sessionId = await world.make(storeId, 'expired');
  const of = {
    caseId: '7',
    storeId,
    environment: 'test',
    sessionId,
    orderId: 'o',
    genesis: '0xg',
    transactionHash: '0xt',
    ordinal: Number(amount),
    network: 'ethereum',
    currency: 'USDT',
  } as const;
  const made = await transaction(db.pool, (tx) =>
    openCaseRefund(tx, { ...of, caseId: `${amount + 1n}`, amount, decimals: 6 }, clock.now()),
  );
  const refund = await db.prisma.refund.findFirst({ where: { sessionId } });
  expect([made === null, refund?.amount ?? null]).toEqual([cents === null, cents]);
});
