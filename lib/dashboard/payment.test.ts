// What a merchant sees of where refunds of a payment go.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/context';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/lib/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/lib/testing/settled-session';
import { readPayment } from './payment';

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

test('an address that the customer gave for refunds is shown, of the network that was paid on', async () => {
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
