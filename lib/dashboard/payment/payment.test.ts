// What a merchant sees of a payment's refunds: their destination, and how much of the price was refunded.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { readPayment } from './payment';
import { listPayments } from '@/lib/dashboard/lists/payments';

const GIVEN = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
let database: TestDatabase;
let context: Context;
let storeId: string;
let sessions: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  database = await openTestDatabase();
  const clock = new TestClock(EXPIRES - 200);
  context = testContext(database, clock, testConfig());
  sessions = openSettledSessions(database, clock, { ethereum: await makeChain(database, 'ethereum', EXPIRES - 100) });
  ({ storeId } = await makeStore(database, context.config));
});
afterAll(() => database.close());

const addressOf = async (sessionId: string) =>
  (await readPayment(context, { storeId, environment: 'test' }, sessionId))!.refundAddress;

async function pay(id: string): Promise<void> {
  const transfer = await sessions.transfer(id, { cents: 1250 });
  await database.pool.query('ALTER TABLE transfers DISABLE TRIGGER USER');
  await database.pool.query('UPDATE transfers SET payer = $2 WHERE id = $1', [transfer, `0x${'cd'.repeat(20)}`]);
  await database.pool.query('ALTER TABLE transfers ENABLE TRIGGER USER');
  await sessions.settle(id);
}

test('a refund address that the customer gave is shown for the network of the payment', async () => {
  const id = await sessions.make(storeId);
  await database.pool.query('UPDATE sessions SET evm_address = $2 WHERE id = $1', [id, `0x${'ab'.repeat(20)}`]);
  expect(await addressOf(id)).toBeNull();
  await pay(id);
  expect(await addressOf(id)).toBeNull();
  const give = (network: string, address: string) =>
    database.pool.query(
      'INSERT INTO refund_addresses (session_id, network, address, given_at) VALUES ($1, $2, $3, now())',
      [id, network, address.toLowerCase()],
    );
  await give('bsc', '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0');
  expect(await addressOf(id)).toBeNull();
  await give('ethereum', GIVEN);
  expect(await addressOf(id)).toBe(GIVEN);
});

test('a payment is refunded once the whole price was sent back; pending refunds do not count', async () => {
  const of = { storeId, environment: 'test' } as const;
  const id = await sessions.make(storeId);
  await pay(id);
  const seen = async () => {
    const { rows } = await listPayments(context, of, {}, FIRST_PAGE);
    return [rows.find((row) => row.id === id)?.refundShare, (await readPayment(context, of, id))?.refundShare];
  };
  const refund = async (cents: number, status: 'completed' | 'processing') => {
    await database.pool.query(
      `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, request_hash,
         day, created_at, sign_after, processed_at, transaction_hash, receipt_number)
       VALUES ('re_' || $1, $2, 'test', $1, $3, 'o', $4::"RefundStatus", $5, 'USDT', 'ethereum', '\\x00', now(), now(), now(),
         CASE WHEN $4 = 'completed' THEN now() END, CASE WHEN $4 = 'completed' THEN '0x' || $1 END,
         CASE WHEN $4 = 'completed' THEN 'rcp_' || $1 END)`,
      [`share-${cents}`, storeId, id, status, cents],
    );
    await database.pool.query('UPDATE sessions SET amount_refunded = amount_refunded + $2 WHERE id = $1', [id, cents]);
  };
  expect(await seen()).toEqual(['none', 'none']);
  await refund(1000, 'completed');
  expect(await seen()).toEqual(['part', 'part']);
  await refund(250, 'processing');
  expect(await seen()).toEqual(['part', 'part']);
  await database.pool.query(
    `UPDATE refunds SET status = 'completed', processed_at = now(), transaction_hash = '0x250', receipt_number = 'rcp_250'
      WHERE refund_id = 'share-250'`,
  );
  expect(await seen()).toEqual(['whole', 'whole']);
});
