// The share of a store's daily limit that unpaid sessions of strangers can take, so that other customers can still pay.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SYSTEM } from '@/lib/merchants/stores/actor';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeAddresses, makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import type { Context } from '@/lib/platform/context';
import { addPayment } from '@/testing/payments/payment-row';
import { createPaymentLink, type PaymentLinkInput } from './change';
import { openPaymentLink } from './open';
import { MAX_UNPAID } from './capacity';

/** The daily limit of the store's links in cents. */
const DAY_LIMIT = 100_000;
let db: TestDatabase;
let context: Context;
let clock: TestClock;
let storeId: string;
beforeAll(async () => {
  db = await openTestDatabase();
  clock = new TestClock();
  const config = testConfig();
  context = testContext(db, clock, config);
  await makeAddresses(db, 100 + MAX_UNPAID);
  await makeChain(db, 'ethereum', clock.now().getTime() / 1000);
});
afterAll(() => db.close());
beforeEach(async () => {
  ({ storeId } = await makeStore(db, context.config));
  await db.pool.query('UPDATE stores SET day_limit = $2 WHERE id = $1', [storeId, DAY_LIMIT]);
});

const link = async (over: Partial<PaymentLinkInput> = {}): Promise<string> => {
  const wish = {
    title: 'Donate',
    description: null,
    currency: 'USD',
    amount: null,
    least_amount: null,
    most_amount: null,
  };
  const of = { storeId, environment: 'test' } as const;
  return (await createPaymentLink(context, of, { ...wish, most_paid: null, ...over }, SYSTEM)).id;
};
let forms = 0;
const press = (linkId: string, from: string, typed = '') =>
  openPaymentLink(context, { linkId, name: `form ${++forms}`, typed, locale: null, from });
const REFUSED = { refusal: 'limit' };
const OPENED = { sessionId: expect.stringMatching(/^cs_test_/) };

it('lets one client take at most a tenth of the daily limit by typed amounts, over all links of the store', async () => {
  const [one, other] = [await link(), await link()];
  expect(await press(one, '203.0.113.1', '1000')).toEqual(REFUSED);
  expect(await press(one, '203.0.113.1', '100.01')).toEqual(REFUSED);
  expect(await press(one, '203.0.113.1', '60')).toEqual(OPENED);
  expect(await press(other, '203.0.113.1', '60')).toEqual(REFUSED);
  expect(await press(other, '203.0.113.1', '40')).toEqual(OPENED);
  expect(await press(one, '203.0.113.2', '100')).toEqual(OPENED);
});

it('lets one client open one session of a fixed price, whatever its share, and no second', async () => {
  const made = await link({ amount: 30_000 });
  expect(await press(made, '203.0.113.1')).toEqual(OPENED);
  expect(await press(made, '203.0.113.1')).toEqual(REFUSED);
  expect(await press(made, '203.0.113.2')).toEqual(OPENED);
  const most = await link({ most_amount: 25_000 });
  expect(await press(most, '203.0.113.3', '250')).toEqual(OPENED);
});

it('lets the unpaid sessions of one link take at most half of the daily limit, so the store’s other links work', async () => {
  const attacked = await link();
  const results = [];
  for (let n = 0; n < 7; n++) results.push(await press(attacked, `198.51.100.${n}`, '100'));
  expect(results).toEqual([...Array.from({ length: 5 }, () => OPENED), REFUSED, REFUSED]);
  expect(await press(await link({ amount: 12_50 }), '203.0.113.1')).toEqual(OPENED);
});

it('does not count a paid or closed session against its client', async () => {
  const made = await link();
  const opened = await press(made, '203.0.113.1', '100');
  expect(await press(made, '203.0.113.1', '1')).toEqual(REFUSED);
  const { sessionId } = opened as { sessionId: string };
  await db.pool.query(`UPDATE sessions SET status = 'expired', closed_at = now() WHERE id = $1`, [sessionId]);
  expect(await press(made, '203.0.113.1', '100')).toEqual(OPENED);
});

it('sets no shares without a daily limit', async () => {
  await db.pool.query('UPDATE stores SET day_limit = NULL WHERE id = $1', [storeId]);
  expect(await press(await link(), '203.0.113.1', '5000')).toEqual(OPENED);
});

it('the unpaid sessions of one client occupy one place of a link with three payments from the view of others', async () => {
  const made = await link({ amount: 1000, most_paid: 3 });
  const busy = { refusal: 'busy' };
  for (let n = 0; n < 3; n++) expect(await press(made, '203.0.113.1')).toEqual(OPENED);
  expect(await press(made, '203.0.113.1')).toEqual(busy);
  expect(await press(made, '203.0.113.2')).toEqual(OPENED);
  expect(await press(made, '203.0.113.3')).toEqual(OPENED);
  expect(await press(made, '203.0.113.4')).toEqual(busy);
});

it('the 256 networks of one home share one place of a link', async () => {
  const made = await link({ amount: 1000, most_paid: 2 });
  expect(await press(made, '2001:db8:0:200::1')).toEqual(OPENED);
  expect(await press(made, '2001:db8:0:201::1')).toEqual(OPENED);
  expect(await press(made, '2001:db8:0:300::1')).toEqual(OPENED);
});

it('a client that has started to pay its sessions occupies a place with each of them', async () => {
  const made = await link({ amount: 1000, most_paid: 3 });
  const opened = [await press(made, '203.0.113.1'), await press(made, '203.0.113.1')];
  const time = context.clock.now().getTime() / 1000;
  for (const one of opened) {
    if (!one || !('sessionId' in one)) throw new Error('no session was opened');
    await addPayment(db, one.sessionId, { table: 'unconfirmed_transfers', time });
  }
  expect(await press(made, '203.0.113.2')).toEqual(OPENED);
  expect(await press(made, '203.0.113.3')).toEqual({ refusal: 'busy' });
});

it('allows a bounded number of unpaid sessions of one link, however many clients open them', async () => {
  const made = await link({ amount: 1 });
  const clientOf = (n: number) => `198.51.${Math.floor(n / 200)}.${n % 200}`;
  let last: Awaited<ReturnType<typeof press>> | undefined;
  for (let n = 0; n < MAX_UNPAID; n++) {
    // More requests a second are refused for every client.
    clock.advance(0.5);
    last = await press(made, clientOf(n));
  }
  expect(last).toEqual(OPENED);
  expect(await press(made, clientOf(MAX_UNPAID))).toEqual({ refusal: 'busy' });
  expect(await press(await link({ amount: 1 }), clientOf(MAX_UNPAID))).toEqual(OPENED);
  await db.pool.query(`UPDATE sessions SET status = 'canceled', closed_at = created_at WHERE id = $1`, [
    (last as { sessionId: string }).sessionId,
  ]);
  expect(await press(made, clientOf(MAX_UNPAID + 1))).toEqual(OPENED);
}, 60_000);
