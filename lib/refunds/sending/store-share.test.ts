// One store cannot use up the signer's limits, which all stores share. A store that is alone may use all of them.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { refundException } from '@/lib/payments/exceptions/decide';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { decideApproval } from '@/lib/refunds/approval/decide';
import { refundDay } from '@/lib/refunds/request/rules';

const [HOUR, DAY] = [3600, 86_400];
const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
/** A store's share is 500 cents of an hour and 1,000 of a day. */
const limits = { perRefund: 400n, perHour: 1000n, perDay: 4000n };
const spec = localSpec('ethereum');
let db: TestDatabase;
let clock: TestClock;
let scene: RefundScene;
const sender = scriptedSender({ spec, scene: () => scene });

beforeAll(async () => {
  db = await openTestDatabase();
  for (const id of [FIRST, SECOND])
    await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
});
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock(EXPIRES + 60);
  await db.pool.query('DELETE FROM refund_days');
  scene = await openRefundScene({ db, clock, spec, sender, limits });
});

async function passes(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await scene.pass();
}

/** Another store that made a refund this many days ago. */
async function otherStore(days = 0): Promise<void> {
  const { storeId } = await makeStore(db, scene.context.config);
  const day = refundDay(new Date(clock.now().getTime() - days * DAY * 1000));
  await db.pool.query(
    `INSERT INTO refund_days (store_id, environment, day, amount, count) VALUES ($1, 'test', $2::date, 0, 1)`,
    [storeId, day],
  );
}

/** The merchant sends a late payment back. */
async function sentBack(cents = 300): Promise<string> {
  const { storeId, context, chainId } = scene;
  const world = openSettledSessions(db, clock, { ethereum: chainId });
  const sessionId = await world.make(storeId, 'expired');
  await world.transfer(sessionId, { cents, payer: PAYERS.evm });
  await world.settle(sessionId);
  const [found] = await world.casesOf(sessionId);
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  await refundException(context, { caseId: String(found?.id), by: { kind: 'merchant', userId: ownerId, storeId } });
  const { id } = await db.prisma.refund.findFirstOrThrow({ where: { sessionId } });
  scene.destinations.set(id, PAYERS.evm);
  await passes();
  return id;
}

const stateOf = async (id: string) => {
  const { status, hold, holdMessage } = await scene.read(id);
  return { status, hold, holdMessage };
};
const paid = { status: 'completed', hold: null, holdMessage: null };
const waits = { status: 'processing', hold: 'approval_needed', holdMessage: expect.stringContaining('share') };

test('holds payments that are sent back above half of an hour’s limit until the hour is over', async () => {
  await otherStore();
  const [first, second] = [await sentBack(), await sentBack()];
  expect([await stateOf(first), await stateOf(second)]).toEqual([paid, waits]);
  clock.advance(HOUR);
  await passes();
  expect(await stateOf(second)).toEqual(paid);
});

test('counts refunds of orders and of exceptions together, for one store', async () => {
  await otherStore();
  const first = await scene.refund({ to: PAYERS.evm, cents: 300n });
  await passes();
  const second = await sentBack();
  const third = await sentBack(200);
  expect([await stateOf(first), await stateOf(second), await stateOf(third)]).toEqual([paid, waits, paid]);
  const { storeId } = await makeStore(db, scene.context.config);
  scene = { ...scene, storeId };
  expect(await stateOf(await sentBack())).toEqual(paid);
});

test('holds refunds above a quarter of a day’s limit until the day is over', async () => {
  await otherStore();
  for (let hour = 0; hour < 3; hour++) {
    expect(await stateOf(await sentBack())).toEqual(paid);
    clock.advance(HOUR);
  }
  const last = await sentBack();
  expect(await stateOf(last)).toEqual(waits);
  clock.advance(DAY - 3 * HOUR);
  await passes();
  expect(await stateOf(last)).toEqual(paid);
});

test('pays a refund above the share when two operators approve it', async () => {
  await otherStore();
  await sentBack();
  const id = await sentBack();
  expect(await stateOf(id)).toEqual(waits);
  const need = await db.prisma.approvalNeed.findUniqueOrThrow({ where: { refund: id } });
  const digest = Buffer.from(need.digest).toString('hex');
  for (const [move, userId] of [['request', FIRST] as const, ['approve', SECOND] as const])
    await decideApproval(scene.context, { refund: id, move, userId, digest, note: null, address: '' });
  await passes();
  expect(await stateOf(id)).toEqual(paid);
});

test.each([
  ['there is no other store', async () => {}],
  ['no other store made a refund for 30 days', () => otherStore(31)],
])('lets a store use all of the signer’s limits if %s', async (_, arrange) => {
  await arrange();
  for (let count = 0; count < 3; count++) expect(await stateOf(await sentBack())).toEqual(paid);
  expect(await stateOf(await sentBack())).toMatchObject({ status: 'processing', hold: 'limit' });
});
