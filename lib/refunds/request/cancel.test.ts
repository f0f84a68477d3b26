// Until when a refund can be canceled, and what is released afterwards.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { newReceiptNumber } from '@/lib/platform/ids';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeMerchant, refundRequest } from '@/testing/refunds/refund-caller';
import { cancelRefund } from './cancel';
import { createRefund } from './create';
import { releaseAmounts } from './release-amounts';
import { readRefund } from '@/lib/refunds/read';
import { moveRefund, type RefundMove } from '@/lib/refunds/states';

const clock = new TestClock();
let db: TestDatabase;
let context: Context;

beforeAll(async () => {
  db = await openTestDatabase(20);
  context = testContext(db, clock);
});
afterAll(() => db.close());

async function made(amount = 100) {
  const merchant = await makeMerchant(db, context);
  const session_id = await makePaidSession(db, { storeId: merchant.storeId, closedAt: clock.now(), cents: 300 });
  const refund = await createRefund(context, merchant.caller(), refundRequest({ session_id, amount }));
  const left = async () => ({
    refunded: Number((await db.prisma.session.findUniqueOrThrow({ where: { id: session_id } })).amountRefunded),
    today: Number((await db.prisma.refundDay.findFirstOrThrow({ where: { storeId: merchant.storeId } })).amount),
    owed: (await db.prisma.ledgerBalance.findMany({ where: { account: `refund:${merchant.storeId}` } })).map((one) =>
      Number(one.amount),
    ),
  });
  return {
    ...merchant,
    session_id,
    refund,
    left,
    cancel: () => cancelRefund(context, merchant.caller(), refund.refundId),
  };
}
const move = (id: string, name: RefundMove) =>
  transaction(db.pool, (tx) =>
    moveRefund(tx, id, name, {
      at: clock.now(),
      ...(name === 'begin' ? { signAfter: clock.now() } : {}),
      ...(name === 'complete' ? { completedBy: { transactionHash: '0xhash', receiptNumber: newReceiptNumber() } } : {}),
      ...(name === 'fail' ? { failureReason: 'the token refused it' } : {}),
    }),
  );
const ask = (id: string) =>
  db.pool.query(
    `UPDATE refunds SET destination = '0xp', destination_kind = 'payer', destination_reference = 't', signature_requested_at = $2 WHERE id = $1`,
    [id, clock.now()],
  );

test('a pending refund can be canceled: everything it reserved is released, and no event is sent', async () => {
  const { refund, left, cancel, caller, session_id } = await made();
  expect(await left()).toEqual({ refunded: 100, today: 100, owed: [-1_000_000] });
  expect(await cancel()).toEqual({ refundId: refund.refundId, canceledAt: clock.now() });
  expect(await left()).toEqual({ refunded: 0, today: 0, owed: [0] });
  expect((await readRefund(context, caller(), refund.refundId)).status).toBe('canceled');
  expect(await db.prisma.event.count({ where: { objectId: refund.id } })).toBe(0);
  const again = await createRefund(context, caller(), refundRequest({ session_id, amount: 300 }));
  expect(again.status).toBe('pending');
});

test('a refund in processing can be canceled until the signer is asked, and not afterwards', async () => {
  const before = await made();
  await move(before.refund.id, 'begin');
  await before.cancel();
  expect(await before.left()).toMatchObject({ refunded: 0, today: 0 });

  const after = await made();
  await move(after.refund.id, 'begin');
  await ask(after.refund.id);
  await expect(after.cancel()).rejects.toMatchObject({ code: 'CANNOT_CANCEL_REFUND' });
  expect(await after.left()).toMatchObject({ refunded: 100, today: 100 });
});

test.each<[string, RefundMove[]]>([
  ['completed', ['begin', 'complete']],
  ['failed', ['begin', 'fail']],
  ['canceled', ['cancel']],
])('a refund that is %s cannot be canceled', async (_, moves) => {
  const { refund, cancel, left } = await made();
  for (const one of moves) expect(await move(refund.id, one)).toBe(true);
  await expect(cancel()).rejects.toMatchObject({ code: 'CANNOT_CANCEL_REFUND', param: 'refund_id' });
  expect(await left()).toMatchObject({ refunded: 100, today: 100 });
});

test('of twenty cancellations at once one succeeds, and the amount is released once', async () => {
  const { cancel, left } = await made();
  const answers = await Promise.allSettled(Array.from({ length: 20 }, cancel));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await left()).toEqual({ refunded: 0, today: 0, owed: [0] });
});

test('of a cancellation and a signature at once, exactly one happens', async () => {
  for (let round = 0; round < 20; round++) {
    const { refund, cancel } = await made();
    await move(refund.id, 'begin');
    const claim = db.pool.query(
      `UPDATE refunds SET destination = '0xp', destination_kind = 'payer', destination_reference = 't', signature_requested_at = now()
       WHERE id = $1 AND status = 'processing' AND signature_requested_at IS NULL`,
      [refund.id],
    );
    const [canceled, claimed] = await Promise.allSettled([cancel(), claim]);
    const isClaimed = claimed.status === 'fulfilled' && claimed.value.rowCount === 1;
    expect(isClaimed).toBe(canceled.status === 'rejected');
  }
});

test('a second release changes nothing', async () => {
  const { refund, cancel, left, storeId, session_id } = await made();
  await cancel();
  const again = { ...refund, storeId, environment: 'test', sessionId: session_id, caseId: null } as const;
  await transaction(db.pool, (tx) => releaseAmounts(tx, again));
  expect(await left()).toEqual({ refunded: 0, today: 0, owed: [0] });
});

test('a release counts for the day of the refund, not for the day of the cancellation', async () => {
  const { cancel, storeId, caller, session_id } = await made();
  clock.advance(86_400);
  await createRefund(context, caller(), refundRequest({ session_id, amount: 50 }));
  await cancel();
  const days = await db.prisma.refundDay.findMany({ where: { storeId }, orderBy: { day: 'asc' } });
  expect(days.map(({ amount }) => amount)).toEqual([0n, 50n]);
});
