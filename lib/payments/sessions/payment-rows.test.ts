// The payments of a session, as pages and the API read them.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions, PRICE } from '@/testing/payments/settled-session';
import { paymentRows, type PaymentRow } from './payment-rows';

let db: TestDatabase;
let sessions: ReturnType<typeof openSettledSessions>;
let sessionId: string;
beforeAll(async () => {
  db = await openTestDatabase();
  const chains = { ethereum: await makeChain(db, 'ethereum', EXPIRES), bsc: await makeChain(db, 'bsc', EXPIRES) };
  sessions = openSettledSessions(db, new TestClock(EXPIRES), chains);
});
afterAll(() => db.close());
beforeEach(async () => {
  const { storeId } = await makeStore(db, testConfig());
  sessionId = await sessions.make(storeId);
});

async function read(forMerchant: boolean): Promise<PaymentRow[]> {
  const { rows } = await db.pool.query(
    `SELECT ${paymentRows({ forMerchant })} AS payments FROM sessions s WHERE s.id = $1`,
    [sessionId],
  );
  return rows[0].payments;
}

test.each([true, false])(
  'hundreds of small transfers before it hide no payment (for the merchant: %s)',
  async (forMerchant) => {
    const [part, rest] = [`0xpart-${forMerchant}`, `0xrest-${forMerchant}`];
    const dust = (n: number, network: string) =>
      sessions.transfer(sessionId, { cents: 0.01, network, time: EXPIRES - 1000 + n });
    for (let n = 0; n < 60; n++) await Promise.all([dust(n, 'bsc'), dust(n, 'ethereum')]);
    await sessions.transfer(sessionId, { cents: 450, network: 'bsc', time: EXPIRES - 20, hash: part });
    await sessions.transfer(sessionId, { cents: PRICE - 450, time: EXPIRES - 10, hash: rest });
    const payments = await read(forMerchant);
    expect(payments).toHaveLength(50);
    expect(payments.slice(-2).map(({ transaction_hash }) => transaction_hash)).toEqual([part, rest]);
  },
);

test('all payments are in the order of the chain, whatever their amounts', async () => {
  for (const [at, cents] of [5, 900, 20, 325].entries())
    await sessions.transfer(sessionId, { cents, time: EXPIRES - 100 + at });
  expect((await read(false)).map(({ amount }) => amount)).toEqual(['50000', '9000000', '200000', '3250000']);
});
