// The webhook security rows that need a whole delivery, and the list of all rows W-01 to W-23. A test of lib/webhooks
// must name each of them.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openReceiver, type Behaviour, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { openDispatcher, type DispatcherOptions } from '@/lib/webhooks/delivery/deliver';
import { DEADLINE_MILLISECONDS } from '@/lib/webhooks/delivery/dial';
import { resendEvent } from '@/lib/webhooks/console/resend';

let database: TestDatabase;
let context: Context;
const clock = new TestClock();
const receivers: Receiver[] = [];

beforeAll(async () => {
  database = await openTestDatabase(10);
  context = testContext(database, clock, testConfig());
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
const stateOf = async (storeId: string) => {
  const { rows } = await database.pool.query(
    `SELECT status, attempts, extract(epoch FROM next_at - now())::float8 AS seconds FROM deliveries WHERE store_id = $1 ORDER BY id`,
    [storeId],
  );
  return rows;
};

const WEBHOOKS = path.join(import.meta.dirname, '..');
const ROWS = Array.from({ length: 23 }, (_, n) => `W-${String(n + 1).padStart(2, '0')}`);

test('every webhook security row W-01 to W-23 is named by a test of lib/webhooks', () => {
  const tests = fs
    .readdirSync(WEBHOOKS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'));
  const sources = tests.map((name) => fs.readFileSync(path.join(WEBHOOKS, name), 'utf8'));
  // The title of a test or group: the first string in parentheses, beginning with its rows.
  const names = sources.flatMap((source) => source.match(/\(\s*'(W-\d\d(, )?)+: /g) ?? []);
  const named = new Set(names.join().match(/W-\d\d/g));
  expect(ROWS.filter((row) => !named.has(row))).toEqual([]);
});

describe('W-06: a redirect is neither followed nor retried:', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    const inside = await storeAt();
    const store = await storeAt(
      () => (answer) => void answer.writeHead(status, { location: inside.receiver.url }).end(),
    );
    await recordEvent(context, store);
    await deliverDue();
    await comesDue();
    expect(await deliverDue()).toBe(0);
    expect([inside.receiver.received.length, store.receiver.received.length]).toEqual([0, 1]);
    expect(await stateOf(store.storeId)).toMatchObject([{ status: 'failed', attempts: 1 }]);
  });
});

test.each([200, 201, 202, 204, 299])('W-08: %i acknowledges', async (status) => {
  const store = await storeAt(() => status);
  await recordEvent(context, store);
  await deliverDue();
  expect(await stateOf(store.storeId)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
});

test.each([400, 401, 403, 404, 410, 422])('W-09: %i ends the delivery, and alone pauses nothing', async (status) => {
  const store = await storeAt((n) => (n === 0 ? status : 200));
  await recordEvent(context, store);
  await deliverDue();
  await recordEvent(context, store);
  expect(await deliverDue()).toBe(1);
  expect(await stateOf(store.storeId)).toMatchObject([
    { status: 'failed', attempts: 1 },
    { status: 'delivered', attempts: 1 },
  ]);
});

test.each(['3600', '-1', 'Fri, 31 Dec 1999 23:59:59 GMT', 'soon'])(
  'W-10: 429 with Retry-After: %s is retried on the contract’s schedule',
  async (value) => {
    const store = await storeAt(() => (answer) => void answer.writeHead(429, { 'retry-after': value }).end());
    await recordEvent(context, store);
    await deliverDue();
    const [row] = await stateOf(store.storeId);
    expect(row).toMatchObject({ status: 'pending', attempts: 1 });
    expect(row.seconds).toBeGreaterThan(0);
    expect(row.seconds).toBeLessThanOrEqual(1);
  },
);

test('W-11: five failures and then a success are six attempts, and the event is acknowledged', async () => {
  const store = await storeAt((n) => (n < 5 ? 500 : 200));
  await recordEvent(context, store);
  for (let n = 0; n < 6; n++) {
    expect(await deliverDue()).toBe(1);
    await comesDue();
  }
  expect(await stateOf(store.storeId)).toMatchObject([{ status: 'delivered', attempts: 6 }]);
});

test('W-11: a cut on a pooled connection is retried like any failure, and the receiver gets each attempt once', async () => {
  const store = await storeAt((n) => (n === 1 ? 'close' : n === 2 ? 500 : 200));
  const dispatcher = openDispatcher(context);
  const pass = async () => {
    await dispatcher.pump();
    await dispatcher.idle(60_000);
  };
  // The first event leaves a pooled connection. The second one's attempts get a cut on it, 500 and 200.
  await recordEvent(context, store);
  await pass();
  await recordEvent(context, store);
  for (let n = 0; n < 3; n++) {
    await pass();
    expect(store.receiver.received.length).toBe(n + 2);
    await comesDue();
  }
  dispatcher.close();
  expect(await stateOf(store.storeId)).toMatchObject([
    { status: 'delivered', attempts: 1 },
    { status: 'delivered', attempts: 3 },
  ]);
});

test('W-12: the deadline is 30 s by default, and an attempt that misses it is retried', async () => {
  expect(DEADLINE_MILLISECONDS).toBe(30_000);
  const store = await storeAt((n) => (n === 0 ? 'hang' : 200));
  await recordEvent(context, store);
  await deliverDue({ deadlineMilliseconds: 200 });
  await comesDue();
  await deliverDue();
  const { rows } = await database.pool.query(
    'SELECT error, duration_ms FROM delivery_attempts ORDER BY number LIMIT 1',
  );
  expect(rows[0].error).toBe('TIMEOUT');
  expect(rows[0].duration_ms).toBeGreaterThanOrEqual(195);
  expect(await stateOf(store.storeId)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
});

test('W-16: text from a customer or merchant is in the body and in no header', async () => {
  const store = await storeAt();
  await recordEvent(context, store, 'order\r\nX-Injected: 1');
  await deliverDue();
  const [call] = store.receiver.received;
  expect(call!.rawHeaders.join('\n')).not.toContain('order');
  expect(call!.headers['x-injected']).toBeUndefined();
  expect(JSON.parse(call!.body.toString()).data.object.order_id).toBe('order\r\nX-Injected: 1');
});

test('W-19: ten thousand events for a dead receiver do not delay a healthy one’s event by two seconds', async () => {
  const dead = await storeAt(() => 'hang');
  const healthy = await storeAt();
  await recordEvent(context, dead);
  await database.pool.query(
    `INSERT INTO deliveries (event_id, store_id, environment, next_at)
     SELECT event_id, store_id, environment, now() - interval '1 minute' FROM deliveries, generate_series(1, 10000) WHERE store_id = $1`,
    [dead.storeId],
  );
  const dispatcher = openDispatcher(context, { deadlineMilliseconds: 10_000 });
  for (let n = 0; n < 4; n++) await dispatcher.pump();
  const began = performance.now();
  await recordEvent(context, healthy);
  await dispatcher.pump();
  await expect.poll(() => healthy.receiver.received.length, { interval: 5, timeout: 9000 }).toBe(1);
  // Before any of the hanging calls times out.
  expect(performance.now() - began).toBeLessThan(9000);
  await database.pool.query(`UPDATE deliveries SET status = 'failed', finished_at = now() WHERE attempts = 0`);
  await dispatcher.idle(60_000);
});

test('W-20: each resend makes one new delivery, an eleventh within a minute is refused, and no other store has the event', async () => {
  const store = await storeAt();
  const stranger = await storeAt();
  await recordEvent(context, store);
  const { id: eventId } = await database.prisma.event.findFirstOrThrow({ where: { storeId: store.storeId } });
  expect(await resendEvent(context, { storeId: stranger.storeId, eventId })).toBeNull();
  expect(await resendEvent(context, { storeId: store.storeId, eventId: 'evt_of_nobody' })).toBeNull();
  const presses = await Promise.allSettled(
    Array.from({ length: 14 }, () => resendEvent(context, { storeId: store.storeId, eventId })),
  );
  const made = presses.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value.deliveryId] : []));
  expect(new Set(made).size).toBe(10);
  expect(presses.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))).toEqual(
    Array(4).fill('RATE_LIMITED'),
  );
  expect((await stateOf(store.storeId)).length).toBe(11);
});

test('W-21: a response with scripts is stored as at most 2 kB of inert text', async () => {
  const store = await storeAt(
    () => (answer) => void answer.writeHead(404).end('<script>alert(1)</script>'.repeat(200)),
  );
  await recordEvent(context, store);
  await deliverDue();
  const { answer } = await database.prisma.deliveryAttempt.findFirstOrThrow();
  expect(answer).toBe('<script>alert(1)</script>'.repeat(200).slice(0, 2048));
});

test('W-02, W-04: a URL that may not be called cannot be saved either', async () => {
  const store = await storeAt();
  const outside = { ...context, config: { ...context.config, WEBHOOKS_TO_LOOPBACK: false } };
  const save = (url: string) =>
    setWebhookEndpoint({ ...outside, lookup: async () => [{ address: '10.0.0.1', family: 4 }] }, { ...store, url });
  for (const url of ['https://127.0.0.1/', 'https://shop.example.com/', 'https://localhost/', 'http://1.1.1.1/']) {
    await expect(save(url)).rejects.toMatchObject({ code: 'INVALID_PARAMETER', param: 'url' });
  }
});
