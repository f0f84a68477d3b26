// Everything after the regular retries: the slow lane, paused and resumed endpoints, resent events, test events, and
// what the console shows of them.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { openReceiver, verifies, type Behaviour, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent, type TestEndpoint } from '@/testing/receivers/webhooks';
import { openDispatcher, type DispatcherOptions } from './deliver';
import { PAYMENT_EVENTS, REFUND_EVENTS, type EventType } from '@/lib/webhooks/events/events';
import { readEndpointHealth } from '@/lib/webhooks/endpoint/health';
import { listDeliveries } from '@/lib/webhooks/console/list-deliveries';
import { pauseEndpoint, resumeEndpoint } from '@/lib/webhooks/endpoint/pause';
import { readDelivery } from '@/lib/webhooks/console/read-delivery';
import { resendEvent, resendEvents, resendFailed } from '@/lib/webhooks/console/resend';
import { sendTestEvent } from '@/lib/webhooks/console/test-event';

let database: TestDatabase;
let context: Context;
const receivers: Receiver[] = [];

beforeAll(async () => {
  database = await openTestDatabase(10);
  context = testContext(database, { now: () => new Date() }, testConfig());
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await database.pool.query('TRUNCATE deliveries, delivery_attempts');
});
afterAll(() => database.close());

async function storeAt(behave?: Behaviour) {
  const receiver = await openReceiver(behave);
  receivers.push(receiver);
  return { receiver, ...(await makeEndpoint(database, context, receiver.url)) };
}
async function deliverDue(options: DispatcherOptions = {}): Promise<number> {
  const dispatcher = openDispatcher(context, options);
  const started = await dispatcher.pump();
  await dispatcher.idle(60_000);
  dispatcher.close();
  return started;
}
const comesDue = () =>
  database.pool.query(`UPDATE deliveries SET next_at = now() - interval '1 second' WHERE status = 'pending'`);
const stateOf = async ({ storeId }: TestEndpoint) => {
  const { rows } = await database.pool.query(
    `SELECT lane, status, attempts, extract(epoch FROM next_at - now())::float8 AS seconds FROM deliveries WHERE store_id = $1 ORDER BY id`,
    [storeId],
  );
  return rows;
};
const eventIdsOf = async ({ storeId }: TestEndpoint): Promise<string[]> =>
  (await database.pool.query('SELECT id FROM events WHERE store_id = $1 ORDER BY id', [storeId])).rows.map(
    ({ id }) => id,
  );
const record = async (store: TestEndpoint, count: number) => {
  for (let n = 0; n < count; n++) await recordEvent(context, store);
};
/** All six attempts of every waiting delivery. */
async function exhaust(): Promise<void> {
  for (let n = 0; n < 6; n++) {
    await deliverDue();
    await database.pool.query(
      `UPDATE deliveries SET next_at = now() - interval '1 second' WHERE status = 'pending' AND lane <> 'slow'`,
    );
  }
}

const retryForDays = ({ storeId, environment }: { storeId: string; environment: string }) =>
  database.pool.query(
    'UPDATE webhook_endpoints SET slow_lane = true WHERE store_id = $1 AND environment = $2::"Environment"',
    [storeId, environment],
  );

describe('the slow lane', () => {
  test('continues after the six attempts if the store chose it, and the failed delivery stays failed', async () => {
    const store = await storeAt((n) => (n < 7 ? 500 : 200));
    await retryForDays(store);
    await record(store, 1);
    await exhaust();
    const [first, slow] = await stateOf(store);
    expect([first, slow]).toMatchObject([
      { lane: 'first', status: 'failed', attempts: 6 },
      { lane: 'slow', status: 'pending', attempts: 0 },
    ]);
    expect(slow.seconds).toBeGreaterThan(240);
    expect(slow.seconds).toBeLessThanOrEqual(300);
    await comesDue();
    await deliverDue();
    expect((await stateOf(store))[1].seconds).toBeGreaterThan(540);
    await comesDue();
    await deliverDue();
    expect((await stateOf(store)).map(({ status }) => status)).toEqual(['failed', 'delivered']);
    expect(new Set(store.receiver.received.map(({ headers }) => headers['x-service-event-id'])).size).toBe(1);
    expect(store.receiver.received.every((call) => verifies(call, store.secret))).toBe(true);
  });

  test('is not entered without the choice or after a response that is never retried', async () => {
    const plain = await storeAt(() => 500);
    const refusing = await storeAt(() => 404);
    await retryForDays(refusing);
    await record(plain, 1);
    await record(refusing, 1);
    await exhaust();
    expect([await stateOf(plain), await stateOf(refusing)]).toMatchObject([
      [{ status: 'failed', attempts: 6 }],
      [{ status: 'failed', attempts: 1 }],
    ]);
  });

  test('ends after its twelve attempts, and opens no other', async () => {
    const store = await storeAt(() => 503);
    await retryForDays(store);
    await record(store, 1);
    await exhaust();
    for (let n = 0; n < 14; n++) {
      await comesDue();
      await deliverDue();
    }
    expect(await stateOf(store)).toMatchObject([
      { lane: 'first', attempts: 6, status: 'failed' },
      { lane: 'slow', attempts: 12, status: 'failed' },
    ]);
    expect(store.receiver.received.length).toBe(18);
  });

  test('is also entered when the worker died in the sixth attempt', async () => {
    const store = await storeAt();
    await retryForDays(store);
    await record(store, 1);
    await database.pool.query('UPDATE deliveries SET attempts = 6');
    await deliverDue();
    expect(await stateOf(store)).toMatchObject([{ status: 'failed' }, { lane: 'slow', status: 'pending' }]);
  });

  test('ends when the event arrives after a manual resend', async () => {
    const store = await storeAt((n) => (n < 6 ? 500 : 200));
    await retryForDays(store);
    await record(store, 1);
    await exhaust();
    await resendEvent(context, { storeId: store.storeId, eventId: (await eventIdsOf(store))[0]! });
    await deliverDue();
    expect((await stateOf(store)).map(({ lane, status }) => [lane, status])).toEqual([
      ['first', 'failed'],
      ['slow', 'failed'],
      ['resent', 'delivered'],
    ]);
  });
});

describe('an endpoint is paused', () => {
  const health = async (store: TestEndpoint) => (await readEndpointHealth(context, store))!;

  test('when five consecutive events get a 410 response, and a success in between restarts the count', async () => {
    const store = await storeAt((n) => (n === 4 ? 200 : 410));
    for (let n = 0; n < 9; n++) {
      expect((await health(store)).pausedAt).toBeNull();
      await record(store, 1);
      await deliverDue();
    }
    await record(store, 1);
    await deliverDue();
    expect(await health(store)).toMatchObject({
      pausedAt: expect.any(Date),
      failedInARow: 5,
      pauses: [{ reason: 'gone', pausedBy: null, resumedAt: null }],
    });
    await record(store, 3);
    expect(await deliverDue()).toBe(0);
    expect(await health(store)).toMatchObject({ waiting: 3 });
  });

  test('when fifty consecutive events failed over a day, and not for fifty within an hour', async () => {
    const store = await storeAt(() => 500);
    await record(store, 50);
    await exhaust();
    expect(await health(store)).toMatchObject({ pausedAt: null, failedInARow: 50, failingSince: expect.any(Date) });
    await database.pool.query(
      `UPDATE webhook_endpoints SET failing_since = now() - interval '25 hours' WHERE store_id = $1`,
      [store.storeId],
    );
    await record(store, 1);
    await exhaust();
    expect(await health(store)).toMatchObject({ failedInARow: 51, pauses: [{ reason: 'failing' }] });
  });

  test('and resumed by a user: waiting events are sent in order, spread over time, and new events do not queue behind them', async () => {
    const store = await storeAt();
    const by = { ...store, by: 'owner@example.test' };
    expect([await pauseEndpoint(context, by), await pauseEndpoint(context, by)]).toEqual([true, false]);
    await record(store, 120);
    expect(await deliverDue()).toBe(0);
    expect(await resumeEndpoint(context, by)).toEqual({ replayed: 120 });
    expect(await resumeEndpoint(context, by)).toBeNull();
    const waiting = await stateOf(store);
    const moments = waiting.map(({ seconds }) => seconds);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(moments.at(-1) - moments[0]).toBeCloseTo(119 / 50, 1);
    await database.pool.query(`UPDATE deliveries SET next_at = next_at + interval '1 hour'`);
    await record(store, 1);
    expect(await deliverDue()).toBe(1);
    expect(await health(store)).toMatchObject({
      pausedAt: null,
      pauses: [{ reason: 'requested', pausedBy: by.by, resumedBy: by.by, replayed: 120, resumedAt: expect.any(Date) }],
    });
  });

  test('only in its own store and environment', async () => {
    const [one, two] = [await storeAt(), await storeAt()];
    await pauseEndpoint(context, { ...one, by: 'x' });
    expect(await pauseEndpoint(context, { ...one, environment: 'live', by: 'x' })).toBe(false);
    await record(one, 1);
    await record(two, 1);
    expect(await deliverDue()).toBe(1);
    expect([one.receiver.received.length, two.receiver.received.length]).toEqual([0, 1]);
  });
});

describe('resending', () => {
  test('a selection makes one delivery for each event of the store, and a selection that is too large is refused', async () => {
    const [store, stranger] = [await storeAt(), await storeAt()];
    await record(store, 3);
    await record(stranger, 1);
    await deliverDue();
    const mine = await eventIdsOf(store);
    const eventIds = [...mine, mine[0]!, ...(await eventIdsOf(stranger)), 'evt_1'];
    expect((await resendEvents(context, { ...store, eventIds })).deliveryIds.length).toBe(3);
    await expect(
      resendEvents(context, { ...store, eventIds: Array.from({ length: 101 }, (_, n) => `evt_${n}`) }),
    ).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  test('all failed events since a time excludes events that arrived, wait or failed earlier, and the slow lane does not count as waiting', async () => {
    const store = await storeAt((n) => (n < 4 ? 400 : 200));
    await record(store, 4);
    await deliverDue({ mostPerEndpoint: 64 });
    const [early, arrived, ...failed] = await eventIdsOf(store);
    await database.pool.query(`UPDATE deliveries SET created_at = now() - interval '2 days' WHERE event_id = $1`, [
      early,
    ]);
    await resendEvent(context, { storeId: store.storeId, eventId: arrived! });
    await deliverDue();
    await database.pool.query(
      `INSERT INTO deliveries (event_id, store_id, environment, lane, next_at) SELECT event_id, store_id, environment, 'slow', now() + interval '1 hour'
       FROM deliveries WHERE event_id = $1`,
      [failed[0]],
    );
    const since = new Date(Date.now() - 86_400_000);
    const first = await resendFailed(context, { ...store, since });
    expect([first.deliveryIds.length, first.isMore]).toEqual([2, false]);
    expect((await resendFailed(context, { ...store, since })).deliveryIds).toEqual([]);
    await comesDue();
    await deliverDue();
    expect(store.receiver.received.slice(-3).map(({ headers }) => headers['x-service-event-id'])).toEqual(
      expect.arrayContaining(failed),
    );
  });

  test('is limited to a thousand per request and three thousand per minute', async () => {
    const store = await storeAt();
    await database.pool.query(
      `WITH event AS (INSERT INTO events (id, store_id, environment, type, object_id, body)
         SELECT 'evt_many_' || n, $1, 'test', 'payment.expired', 'many ' || n, '{}' FROM generate_series(1, 3500) n RETURNING id)
       INSERT INTO deliveries (event_id, store_id, environment, status, attempts, finished_at)
       SELECT id, $1, 'test', 'failed', 1, now() FROM event`,
      [store.storeId],
    );
    const since = new Date(0);
    for (const isMore of [true, true, true]) {
      const press = await resendFailed(context, { ...store, since });
      expect([press.deliveryIds.length, press.isMore]).toEqual([1000, isMore]);
    }
    await expect(resendFailed(context, { ...store, since })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('a test event', () => {
  test.each([...Object.keys(PAYMENT_EVENTS), ...Object.keys(REFUND_EVENTS)] as EventType[])(
    '%s is marked as a test, is signed, and names no existing object',
    async (type) => {
      const store = await storeAt();
      const sent = (await sendTestEvent(context, { ...store, type }))!;
      await deliverDue();
      const [call] = store.receiver.received;
      expect(verifies(call!, store.secret)).toBe(true);
      const body = JSON.parse(call!.body.toString());
      expect(body).toMatchObject({ id: sent.eventId, type, test: true });
      expect(body.data.object.session_id).toMatch(/^cs_test_TESTEVENT/);
      expect(await readDelivery(context, { ...store, deliveryId: sent.deliveryId })).toMatchObject({
        isTest: true,
        type,
      });
    },
  );

  test('needs an endpoint, and is refused the thirty-first time within a minute', async () => {
    const store = await storeAt();
    const send = () => sendTestEvent(context, { ...store, type: 'payment.failed' });
    expect(await sendTestEvent(context, { ...store, environment: 'live', type: 'payment.failed' })).toBeNull();
    for (let n = 0; n < 30; n++) expect(await send()).not.toBeNull();
    await expect(send()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 60 });
  });
});

describe('the console reads', () => {
  test('deliveries in pages, by type, status, event, session and time, and only of its own store', async () => {
    const store = await storeAt((n) => (n === 0 ? 404 : 200));
    const stranger = await storeAt();
    const sessionId = await recordEvent(context, store);
    await deliverDue();
    await record(store, 4);
    await record(stranger, 2);
    await sendTestEvent(context, { ...store, type: 'refund.failed' });
    await deliverDue();
    const list = (over = {}) => listDeliveries(context, { ...store, limit: 100, ...over });
    const all = (await list()).deliveries;
    expect(all.length).toBe(6);
    const paged = [];
    for (let after = null; ;) {
      const page = await list({ limit: 2, after });
      paged.push(...page.deliveries);
      if (page.next === null) break;
      after = page.next as never;
    }
    expect(paged).toEqual(all);
    const found = async (over: object) => (await list(over)).deliveries.map(({ id }) => id);
    expect(await found({ status: 'failed' })).toEqual([all.at(-1)!.id]);
    expect(await found({ sessionId })).toEqual([all.at(-1)!.id]);
    expect(await found({ eventId: all[2]!.eventId })).toEqual([all[2]!.id]);
    expect(await found({ types: ['refund.failed'] })).toEqual([all[0]!.id]);
    expect(await found({ types: ['refund.failed', 'payment.cancelled'], to: new Date(0) })).toEqual([]);
    expect((await found({ from: new Date(0) })).length).toBe(6);
    expect(await found({ refundId: 'no such refund' })).toEqual([]);
    expect(all.at(-1)!.last).toMatchObject({ statusCode: 404, milliseconds: expect.any(Number) });
  });

  test('each attempt with its time, duration and sent headers, with the signature truncated until it is useless', async () => {
    const store = await storeAt(() => (answer) => void answer.writeHead(200).end('taken'));
    await record(store, 1);
    await deliverDue();
    const [listed] = (await listDeliveries(context, { ...store, limit: 1 })).deliveries;
    const read = (await readDelivery(context, { ...store, deliveryId: listed!.id }))!;
    const [call] = store.receiver.received;
    const signature = String(call!.headers['x-service-signature']);
    expect(read.attempts).toMatchObject([
      { number: 1, statusCode: 200, answer: 'taken', milliseconds: expect.any(Number) },
    ]);
    expect(read.attempts[0]!.headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhook/1.0',
      'X-Service-Signature': `${signature.slice(0, 8)}…`,
      'X-Service-Timestamp': call!.headers['x-service-timestamp'],
      'X-Service-Nonce': call!.headers['x-service-nonce'],
      'X-Service-Event-Type': 'payment.cancelled',
      'X-Service-Event-ID': read.eventId,
    });
    expect(read.body).toBe(call!.body.toString());
    const stranger = await storeAt();
    expect(await readDelivery(context, { ...stranger, deliveryId: listed!.id })).toBeNull();
    for (const deliveryId of ['0', '-1', '1e3', 'x', '9'.repeat(30)]) {
      expect(await readDelivery(context, { ...store, deliveryId })).toBeNull();
    }
  });

  test('the chart: attempts of each hour by outcome and duration', async () => {
    const store = await storeAt((n) =>
      n < 3 ? 500 : (answer) => void setTimeout(() => answer.writeHead(200).end(), 110),
    );
    await record(store, 3);
    await deliverDue();
    await comesDue();
    await deliverDue();
    const { hours } = (await readEndpointHealth(context, { ...store, hours: 5 }))!;
    // All in the last hour, unless it ended meanwhile.
    const sumOf = (some: typeof hours) =>
      some.reduce(([good, bad], { succeeded, failed }) => [good! + succeeded, bad! + failed], [0, 0]);
    expect([hours.length, sumOf(hours.slice(0, 3)), sumOf(hours.slice(3))]).toEqual([5, [0, 0], [3, 3]]);
    const buckets = hours.at(-1)!.buckets.map((bucket, n) => ({
      ...bucket,
      count: bucket.count + hours.at(-2)!.buckets[n]!.count,
    }));
    expect(buckets.map(({ below }) => below)).toEqual([100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, null]);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(6);
    expect(buckets.slice(1).reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(3);
  });
});
