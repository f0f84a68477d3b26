// The dispatcher on a real database with local receivers. Tests move a delivery's next time instead of waiting between
// attempts.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { flushSecurityEvents } from '@/lib/platform/security/events';
import { rotateWebhookSecret, setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openReceiver, verifies, type Behaviour, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { leaseDue } from './lease';
import { deliverBatch, openDispatcher, type DispatcherOptions } from './deliver';
import { openHosts } from './hosts';
import { readDeliveries, type DeliveryFacts } from '@/lib/webhooks/events/read';

let database: TestDatabase;
let context: Context;
const clock = new TestClock();
const receivers: Receiver[] = [];

beforeAll(async () => {
  database = await openTestDatabase(20);
  context = testContext(database, clock, testConfig());
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await database.pool.query('TRUNCATE deliveries, delivery_attempts');
});
afterAll(() => database.close());

async function receiving(behave?: Behaviour): Promise<Receiver> {
  const receiver = await openReceiver(behave);
  receivers.push(receiver);
  return receiver;
}
async function storeAt(behave?: Behaviour) {
  const receiver = await receiving(behave);
  return { receiver, ...(await makeEndpoint(database, context, receiver.url)) };
}
const LONG = 60_000;
/** One pass: attempts every due delivery and stores the outcomes. */
async function deliverDue(options: DispatcherOptions = {}): Promise<number> {
  const dispatcher = openDispatcher(context, options);
  const started = await dispatcher.pump();
  expect(await dispatcher.idle(LONG)).toBe(true);
  return started;
}
const comesDue = () =>
  database.pool.query(`UPDATE deliveries SET next_at = now() - interval '1 second' WHERE status = 'pending'`);
/** Seconds between the stored end of the delivery's last attempt and its next one. */
async function secondsToNext(): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT extract(epoch FROM d.next_at - max(a.finished_at)) AS seconds
     FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id GROUP BY d.id`,
  );
  return Number(rows[0].seconds);
}
/** Simulates a long wait, however slow the machine is. */
const isFarAway = () => database.pool.query(`UPDATE deliveries SET next_at = next_at + interval '1 hour'`);
async function deliveriesOf(storeId: string): Promise<DeliveryFacts[]> {
  const { rows } = await database.pool.query('SELECT id FROM events WHERE store_id = $1 ORDER BY created_at, id', [
    storeId,
  ]);
  return (await Promise.all(rows.map(({ id }) => readDeliveries(context, { storeId, eventId: id })))).flat();
}

/** Whether members are mailed about each delivery of the store. */
const noticesOf = async (storeId: string): Promise<boolean[]> =>
  (
    await database.pool.query('SELECT is_notice_due FROM deliveries WHERE store_id = $1 ORDER BY id', [storeId])
  ).rows.map((row) => row.is_notice_due);

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('W-14, W-15, W-16: a delivery has exactly the documented headers, the stored body and a signature that verifies over its raw bytes', async () => {
  const { receiver, storeId, environment, secret } = await storeAt();
  const order = 'größe-订单-🧾-\u2028\u2029-"\\-</script>';
  const sessionId = await recordEvent(context, { storeId, environment }, order);
  expect(await deliverDue()).toBe(1);

  const [call] = receiver.received;
  const event = await database.prisma.event.findFirstOrThrow({ where: { objectId: sessionId } });
  expect(call!.body.equals(Buffer.from(event.body))).toBe(true);
  expect(JSON.parse(call!.body.toString()).data.object.order_id).toBe(order);
  expect(verifies(call!, secret)).toBe(true);
  expect(verifies(call!, 'whsec_another')).toBe(false);
  const { host, connection: _, 'content-length': length, ...headers } = call!.headers;
  expect([host, Number(length)]).toEqual([new URL(receiver.url).host, call!.body.length]);
  expect(headers).toEqual({
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'x-service-event-id': event.id,
    'x-service-event-type': 'payment.cancelled',
    'x-service-nonce': expect.stringMatching(UUID_V4),
    'x-service-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    'x-service-timestamp': String(unixSeconds(clock.now())),
  });
  const names = call!.rawHeaders.filter((_name, n) => n % 2 === 0).map((name) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
});

test('W-11, W-14: five failures are retried on the schedule and signed anew under one event id; a sixth ends it', async () => {
  const { receiver, storeId, environment, secret } = await storeAt(() => 500);
  await recordEvent(context, { storeId, environment });
  for (const seconds of [1, 2, 4, 8, 16]) {
    expect(await deliverDue()).toBe(1);
    expect(await secondsToNext()).toBeCloseTo(seconds);
    await isFarAway();
    expect(await deliverDue()).toBe(0);
    await comesDue();
    clock.advance(seconds);
  }
  expect(await deliverDue()).toBe(1);
  await comesDue();
  expect(await deliverDue()).toBe(0);

  const headers = (name: string) => receiver.received.map((call) => call.headers[name]);
  expect(receiver.received.map((call) => verifies(call, secret))).toEqual(Array(6).fill(true));
  expect(new Set(headers('x-service-event-id')).size).toBe(1);
  expect(new Set(headers('x-service-nonce')).size).toBe(6);
  expect(new Set(headers('x-service-timestamp')).size).toBe(6);
  expect(await deliveriesOf(storeId)).toMatchObject([
    {
      status: 'failed',
      nextAt: null,
      attempts: [1, 2, 3, 4, 5, 6].map((number) => ({ number, statusCode: 500, error: null })),
    },
  ]);
});

test('the retry delay counts from the failure, not from when it was stored', async () => {
  const { storeId, environment } = await storeAt(() => 503);
  await recordEvent(context, { storeId, environment });
  const slowly = testContext(database, { now: () => (clock.advance(0.4), clock.now()) }, context.config);
  const dispatcher = openDispatcher(slowly);
  await dispatcher.pump();
  await dispatcher.idle(LONG);
  expect(await secondsToNext()).toBeLessThanOrEqual(0.61);
});

describe('one response decides what follows:', () => {
  test.each<[string, ReturnType<Behaviour>, string, object]>([
    ['200', 200, 'delivered', { statusCode: 200, error: null }],
    ['201', 201, 'delivered', { statusCode: 201 }],
    ['204', 204, 'delivered', { statusCode: 204 }],
    ['a redirect', 307, 'failed', { statusCode: 307 }],
    ['400', 400, 'failed', { statusCode: 400 }],
    ['410', 410, 'failed', { statusCode: 410 }],
    ['429', 429, 'pending', { statusCode: 429 }],
    ['502', 502, 'pending', { statusCode: 502 }],
    ['a cut connection', 'close', 'pending', { statusCode: null, error: 'UND_ERR_SOCKET', answer: null }],
    ['no answer', 'hang', 'pending', { statusCode: null, error: 'TIMEOUT', answer: null }],
    [
      'text with HTML',
      (answer) => void answer.writeHead(404).end('<script>\0</script>'),
      'failed',
      { statusCode: 404, answer: '<script></script>' },
    ],
  ])('%s', async (_, behaviour, status, attempt) => {
    const { storeId, environment } = await storeAt(() => behaviour);
    await recordEvent(context, { storeId, environment });
    await deliverDue({ deadlineMilliseconds: behaviour === 'hang' ? 300 : 10_000 });
    expect(await deliveriesOf(storeId)).toMatchObject([
      { status, attempts: [{ number: 1, finishedAt: expect.any(Date), ...attempt }] },
    ]);
  });

  test('a name that resolves to a private address by now fails the delivery without sending anything', async () => {
    const { storeId, environment } = await storeAt();
    await database.prisma.webhookEndpoint.updateMany({
      where: { storeId },
      data: { url: 'https://shop.example.com/hook' },
    });
    await recordEvent(context, { storeId, environment });
    await deliverDue({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
    expect(await deliveriesOf(storeId)).toMatchObject([
      { status: 'failed', attempts: [{ error: 'ADDRESS_NOT_ALLOWED' }] },
    ]);
    await flushSecurityEvents(context);
    const noted = database.prisma.securityCount.findMany({ where: { kind: 'address_refused', sort: 'store' } });
    expect(await noted).toMatchObject([{ subject: storeId, count: 1n }]);
  });
});

describe('a process that dies', () => {
  /** The state that a lease leaves behind when nothing follows it, and the lease's end. */
  const claimAndDie = async () => {
    await comesDue();
    await leaseDue(context, { total: 10, perEndpoint: 10, inFlight: [], hosts: openHosts(10).room() });
    const { rows } = await database.pool.query('SELECT extract(epoch FROM next_at - now()) AS lease FROM deliveries');
    expect(Number(rows[0].lease)).toBeGreaterThan(30);
    await comesDue();
  };

  test('during an attempt leaves it counted and shown, and another process continues', async () => {
    const { receiver, storeId, environment } = await storeAt();
    await recordEvent(context, { storeId, environment });
    await claimAndDie();
    expect(await deliverDue()).toBe(1);
    expect(receiver.received.length).toBe(1);
    expect(await deliveriesOf(storeId)).toMatchObject([
      {
        status: 'delivered',
        attempts: [
          { number: 1, error: 'INTERRUPTED' },
          { number: 2, statusCode: 200 },
        ],
      },
    ]);
  });

  test('six times ends the delivery: there are never more than six attempts', async () => {
    const { receiver, storeId, environment } = await storeAt();
    await recordEvent(context, { storeId, environment });
    for (let death = 0; death < 6; death++) await claimAndDie();
    expect(await deliverDue()).toBe(0);
    expect(receiver.received.length).toBe(0);
    expect(await deliveriesOf(storeId)).toMatchObject([
      {
        status: 'failed',
        attempts: Array.from({ length: 6 }, () => ({ error: 'INTERRUPTED' })),
      },
    ]);
    expect(await noticesOf(storeId)).toEqual([true]);
  });

  test('six times sends no mail while the slow lane goes on', async () => {
    const { storeId, environment } = await storeAt();
    await database.pool.query('UPDATE webhook_endpoints SET slow_lane = true WHERE store_id = $1', [storeId]);
    await recordEvent(context, { storeId, environment });
    for (let death = 0; death < 6; death++) await claimAndDie();
    await deliverDue();
    expect(await deliveriesOf(storeId)).toMatchObject([
      { lane: 'first', status: 'failed' },
      { lane: 'slow', status: 'pending' },
    ]);
    expect(await noticesOf(storeId)).toEqual([false, false]);
  });

  test('and comes back late changes nothing, because its attempt was leased again', async () => {
    let answerFirst = () => {};
    let isFirstThere = false;
    const { storeId, environment } = await storeAt((n) =>
      n > 0
        ? 503
        : (answer) => {
            isFirstThere = true;
            answerFirst = () => answer.writeHead(400).end();
          },
    );
    await recordEvent(context, { storeId, environment });
    const late = openDispatcher(context);
    await late.pump();
    await expect.poll(() => isFirstThere).toBe(true);
    await comesDue();
    await deliverDue();
    answerFirst();
    await late.idle(LONG);
    expect(await deliveriesOf(storeId)).toMatchObject([
      {
        status: 'pending',
        attempts: [
          { number: 1, error: 'INTERRUPTED', statusCode: null },
          { number: 2, statusCode: 503 },
        ],
      },
    ]);
  });
});

test('several dispatchers in parallel send every event once', async () => {
  const { receiver, storeId, environment } = await storeAt();
  await Promise.all(Array.from({ length: 60 }, () => recordEvent(context, { storeId, environment })));
  const dispatchers = Array.from({ length: 4 }, () => openDispatcher(context, { mostPerEndpoint: 7 }));
  for (let round = 0; round < 6; round++) {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.pump()));
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.idle(LONG)));
  }
  expect(receiver.received.length).toBe(60);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id'])).size).toBe(60);
});

describe('fairness:', () => {
  test('endpoints that hang with a thousand events waiting delay no other', async () => {
    const hanging = await storeAt(() => 'hang');
    const other = await storeAt(() => 'hang');
    const healthy = await storeAt();
    const dispatcher = openDispatcher(context, { deadlineMilliseconds: 10_000 });
    for (const dead of [hanging, other]) await database.pool.query({ text: BULK, values: [dead.storeId, 1000] });
    for (let round = 0; round < 5; round++) await dispatcher.pump();
    const before = performance.now();
    await recordEvent(context, healthy);
    await dispatcher.pump();
    await expect.poll(() => healthy.receiver.received.length, { interval: 5, timeout: 9000 }).toBe(1);
    expect(performance.now() - before).toBeLessThan(9000);
    expect(hanging.receiver.connections()).toBeLessThanOrEqual(64);
    expect(other.receiver.connections()).toBeLessThanOrEqual(64);
    await database.pool.query(
      `UPDATE deliveries SET next_at = now() + interval '1 day' WHERE status = 'pending' AND attempts = 0`,
    );
    await dispatcher.idle(LONG);
  });

  test('when there is little room, endpoints take turns', async () => {
    const [one, two, three] = [await storeAt(), await storeAt(), await storeAt()];
    for (const { storeId } of [one, two, three]) await database.pool.query({ text: BULK, values: [storeId, 50] });
    await deliverDue({ mostInFlight: 6 });
    expect([one, two, three].map(({ receiver }) => receiver.received.length)).toEqual([1, 1, 1]);
  });

  /** Many waiting deliveries of one event; their content does not matter here. */
  const BULK = `WITH event AS (INSERT INTO events (id, store_id, environment, type, object_id, body)
                               VALUES ('evt_bulk_' || $1, $1, 'test', 'payment.expired', 'bulk ' || $1, '{}') RETURNING id)
                INSERT INTO deliveries (event_id, store_id, environment, next_at)
                SELECT event.id, $1, 'test', now() - interval '1 second' FROM event, generate_series(1, $2::int)`;
});

test('W-17: both secrets sign during the overlap of a rotation, and afterwards only the new one', async () => {
  const { receiver, storeId, environment, secret: old } = await storeAt();
  // The overlap's end is compared with the database's clock.
  const rotating = { ...context, clock: { now: () => new Date() } };
  const { secret } = (await rotateWebhookSecret(rotating, { storeId, environment }))!;
  await recordEvent(context, { storeId, environment });
  await deliverDue();
  await database.pool.query(`UPDATE webhook_endpoints SET previous_until = now() WHERE store_id = $1`, [storeId]);
  await recordEvent(context, { storeId, environment });
  await deliverDue();

  const [during, after] = receiver.received;
  expect([
    verifies(during!, secret),
    verifies(during!, old, 'x-service-signature-previous'),
    verifies(during!, old),
  ]).toEqual([true, true, false]);
  expect([verifies(after!, secret), after!.headers['x-service-signature-previous']]).toEqual([true, undefined]);
});

test('W-18: a URL that is changed between attempts gets the next one, with the same secret', async () => {
  const { receiver, storeId, environment, secret } = await storeAt(() => 500);
  await recordEvent(context, { storeId, environment });
  await deliverDue();
  const elsewhere = await receiving();
  expect(await setWebhookEndpoint(context, { storeId, environment, url: elsewhere.url })).toEqual({ secret: null });
  await comesDue();
  await deliverDue();
  expect([receiver.received.length, elsewhere.received.length, verifies(elsewhere.received[0]!, secret)]).toEqual([
    1,
    1,
    true,
  ]);
  expect((await deliveriesOf(storeId))[0]!.attempts.map(({ url }) => url)).toEqual([receiver.url, elsewhere.url]);
});

test('one pass of the cron route delivers all due events and reports when nothing is left', async () => {
  const { receiver, storeId, environment } = await storeAt();
  await recordEvent(context, { storeId, environment });
  expect([await deliverBatch(context), await deliverBatch(context)]).toEqual([{ more: true }, { more: false }]);
  expect(receiver.received.length).toBe(1);
});

test('a secret that cannot be opened affects no other delivery, and its own waits for the lease', async () => {
  const broken = await storeAt();
  const healthy = await storeAt();
  await database.prisma.webhookEndpoint.updateMany({
    where: { storeId: broken.storeId },
    data: { secretCiphertext: new Uint8Array(40) },
  });
  await recordEvent(context, broken);
  await recordEvent(context, healthy);
  expect(await deliverDue()).toBe(2);
  expect([broken.receiver.received.length, healthy.receiver.received.length]).toEqual([0, 1]);
  expect(await deliveriesOf(broken.storeId)).toMatchObject([
    { status: 'pending', attempts: [{ number: 1, finishedAt: null }] },
  ]);
});
