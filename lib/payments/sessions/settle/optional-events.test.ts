// Which optional events settling a session records, on a real database: none without a subscription, and one for each cause.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keepException } from '@/lib/payments/exceptions/decide';
import { transaction } from '@/lib/platform/database/db';
import { makeFault } from '@/testing/database/database-fault';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { makeEndpoint } from '@/testing/receivers/webhooks';
import { OPTIONAL_EVENTS, type OptionalEventType } from '@/lib/webhooks/events/events';
import { chooseOptionalEvents } from '@/lib/webhooks/events/optional';
import { recordOptionalEvents } from './optional-events';

const START = EXPIRES - 600;
let clock: TestClock;
let db: TestDatabase;
let world: ReturnType<typeof openSettledSessions>;
let chains: Record<string, number>;
let storeId: string;
let sessionId: string;

beforeAll(async () => {
  db = await openTestDatabase();
  chains = { ethereum: await makeChain(db, 'ethereum', START), bsc: await makeChain(db, 'bsc', START) };
  chains.tron = await makeChain(db, 'tron', START);
});
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock(START);
  world = openSettledSessions(db, clock, chains);
  ({ storeId } = await makeEndpoint(db, testContext(db, clock, testConfig()), 'http://127.0.0.1:9/hook'));
  sessionId = await world.make(storeId);
});

const want = (...events: OptionalEventType[]) =>
  chooseOptionalEvents(db.pool, { storeId, environment: 'test', events });
async function pay(cents: number, over: Omit<Parameters<typeof world.transfer>[1], 'cents'> = {}): Promise<void> {
  await world.transfer(sessionId, { cents, ...over });
  await world.settle(sessionId);
}
const deliveredEvents = async () => {
  const { rows } = await db.pool.query('SELECT body FROM events WHERE object_id = $1 ORDER BY written_in, id', [
    sessionId,
  ]);
  return rows.map(({ body }) => ({ type: JSON.parse(body).type, ...JSON.parse(body).data.object }));
};
const types = async () => (await deliveredEvents()).map(({ type }) => type);
const sent = async () =>
  (await db.pool.query('SELECT count(*)::int AS n FROM deliveries WHERE store_id = $1', [storeId])).rows[0].n;

describe('an endpoint without subscriptions', () => {
  test('gets only the contract’s events, whatever happens to the payment', async () => {
    await pay(500);
    await pay(1000);
    await pay(100, { network: 'tron' });
    expect(await types()).toEqual(['payment.completed']);
    expect(await sent()).toBe(1);
  });

  test('gets no past events once it subscribes', async () => {
    await pay(500);
    await want(...OPTIONAL_EVENTS);
    await world.settle(sessionId);
    expect(await types()).toEqual([]);
  });
});

describe('payment.partial', () => {
  beforeEach(() => want('payment.partial'));

  test('is sent once for each payment that leaves the session unfinished, and before payment.completed', async () => {
    await pay(500, { hash: '0xfirst' });
    await pay(250);
    for (let n = 0; n < 3; n++) await world.settle(sessionId);
    await pay(500);
    expect(await types()).toEqual(['payment.partial', 'payment.partial', 'payment.completed']);
    expect((await deliveredEvents())[0]).toEqual({
      type: 'payment.partial',
      amount: 1250,
      status: 'pending',
      currency: 'USDT',
      exchange_rate: '1',
      order_id: sessionId,
      session_id: sessionId,
      source: 'api',
      network: 'ethereum',
      transaction_hash: '0xfirst',
      amount_received: 500,
      payment_amount: 500,
    });
    expect((await deliveredEvents())[1]).toMatchObject({ amount_received: 750, payment_amount: 250 });
    expect(await sent()).toBe(3);
  });

  test('is sent once when two workers settle the same payment', async () => {
    await world.transfer(sessionId, { cents: 500 });
    await Promise.all([world.settle(sessionId), world.settle(sessionId)]);
    expect(await types()).toEqual(['payment.partial']);
  });

  test('is not sent for a payment that completes, does not count, or is below a cent', async () => {
    await pay(100, { network: 'tron' });
    await pay(0.5);
    await pay(1250);
    expect(await types()).toEqual(['payment.completed']);
  });

  test('is not sent for a part that is found when the session fails', async () => {
    await world.transfer(sessionId, { cents: 500 });
    clock.advance(600 + 4000);
    await world.settle(sessionId);
    expect(await types()).toEqual(['payment.failed']);
  });
});

describe('payment.exception', () => {
  beforeEach(() => want('payment.exception'));
  const caseId = async () =>
    (await db.pool.query('SELECT id::text FROM payment_exceptions WHERE session_id = $1', [sessionId])).rows[0].id;

  test('is sent once for a surplus, after payment.completed, with the exception’s id and amount', async () => {
    await pay(1500, { hash: '0xover' });
    await world.settle(sessionId);
    expect(await types()).toEqual(['payment.completed', 'payment.exception']);
    expect((await deliveredEvents())[1]).toMatchObject({
      status: 'completed',
      amount: 1250,
      amount_received: 1500,
      payment_amount: 1500,
      transaction_hash: '0xover',
      exception_id: await caseId(),
      exception_kind: 'over',
      exception_amount: 250,
    });
  });

  test.each([
    ['wrong_network', { network: 'tron' }],
    ['late', { time: EXPIRES + 1 }],
  ] as const)('is sent once for a payment that is %s', async (kind, over) => {
    await pay(1250, over);
    await world.settle(sessionId);
    expect(await deliveredEvents()).toMatchObject([
      {
        type: 'payment.exception',
        status: 'pending',
        exception_kind: kind,
        exception_amount: 1250,
        amount_received: 0,
      },
    ]);
  });

  test('is not sent again after a decision about it', async () => {
    await pay(1500);
    const context = testContext(db, clock, testConfig());
    const { rows } = await db.pool.query('SELECT owner_id FROM stores WHERE id = $1', [storeId]);
    const by = { kind: 'merchant', userId: rows[0].owner_id, storeId } as const;
    await keepException(context, { caseId: await caseId(), by });
    await world.settle(sessionId);
    expect(await types()).toEqual(['payment.completed', 'payment.exception']);
  });
});

test('an optional event that cannot be written is left out, and the payment is credited all the same', async () => {
  await want(...OPTIONAL_EVENTS);
  const end = await makeFault(db.pool, { table: 'events', on: 'INSERT', row: `NEW.type = 'payment.exception'` });
  await pay(1500);
  await end();
  expect(await types()).toEqual(['payment.completed']);
  const { rows } = await db.pool.query('SELECT status, amount_received::int FROM sessions WHERE id = $1', [sessionId]);
  expect(rows).toEqual([{ status: 'completed', amount_received: 1500 }]);
  expect((await db.pool.query('SELECT FROM payment_exceptions WHERE session_id = $1', [sessionId])).rowCount).toBe(1);
});

test('the same cause is recorded once, and leaves nothing when its transaction fails', async () => {
  await want('payment.seen');
  const payment = { network: 'ethereum', currency: 'USDT', amount: 5_000_000n, decimals: 6, blockTime: START } as const;
  const seen = { ...payment, transactionHash: `0x${randomUUID()}`, ordinal: 0, decision: null };
  const at = { now: clock.now(), log: testContext(db, clock, testConfig()).log };
  const record = (fails: boolean) =>
    transaction(db.pool, async (tx) => {
      await recordOptionalEvents(tx, [{ type: 'payment.seen', sessionId, payment: seen }], at);
      if (fails) throw new Error('changed its mind');
    });
  await expect(record(true)).rejects.toThrow('changed its mind');
  expect(await types()).toEqual([]);
  await record(false);
  await record(false);
  expect(await types()).toEqual(['payment.seen']);
});
