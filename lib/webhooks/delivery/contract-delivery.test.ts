// "Delivery" and "Retries and idempotency" of the contract, with a local receiver (docs/contract.md#6-events). Tests move
// the next attempt of a delivery instead of waiting between attempts.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openReceiver, type Behaviour, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { openDispatcher, type DispatcherOptions } from './deliver';

const RETRIES = [1, 2, 4, 8, 16];
const clock = new TestClock();
let db: TestDatabase;
let context: Context;
let receiver: Receiver;

beforeAll(async () => {
  db = await openTestDatabase();
  context = testContext(db, clock, testConfig());
});
afterEach(async () => {
  await receiver.close();
  await db.pool.query('TRUNCATE deliveries, delivery_attempts');
});
afterAll(() => db.close());

/** Records one event for a new store whose receiver behaves this way. */
async function send(behave: Behaviour): Promise<void> {
  receiver = await openReceiver(behave);
  await recordEvent(context, await makeEndpoint(db, context, receiver.url));
}

/** Attempts due deliveries. Returns the delivery's state and the seconds until its next attempt. */
async function attempt(options: DispatcherOptions = {}) {
  const dispatcher = openDispatcher(context, options);
  await dispatcher.pump();
  expect(await dispatcher.idle(60_000)).toBe(true);
  const { rows } = await db.pool.query<{ status: string; seconds: string | null }>(
    `SELECT d.status, extract(epoch FROM d.next_at - max(a.finished_at)) AS seconds
     FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id GROUP BY d.id`,
  );
  const [row] = rows;
  return { status: row?.status, seconds: row?.status === 'pending' ? Math.round(Number(row.seconds)) : null };
}
const waitIsOver = () =>
  db.pool.query(`UPDATE deliveries SET next_at = now() - interval '1 second' WHERE status = 'pending'`);
const headers = (name: string) => receiver.received.map((call) => String(call.headers[name]));

test.each([429, 500, 502, 503, 504])(
  'an event that is answered with %i is sent again after one second',
  async (status) => {
    await send(() => status);
    expect(await attempt()).toEqual({ status: 'pending', seconds: 1 });
  },
);

test.each<[string, 'close' | 'hang']>([
  ['cuts the connection', 'close'],
  ['does not answer in time', 'hang'],
])('an event whose receiver %s is sent again after one second', async (_, behaviour) => {
  await send(() => behaviour);
  const deadlineMilliseconds = behaviour === 'hang' ? 300 : 10_000;
  expect(await attempt({ deadlineMilliseconds })).toEqual({ status: 'pending', seconds: 1 });
});

test.each([301, 307, 400, 401, 404, 410])('an event with a %i response is not sent again', async (status) => {
  await send(() => status);
  expect(await attempt()).toEqual({ status: 'failed', seconds: null });
  await waitIsOver();
  await attempt();
  expect(receiver.received).toHaveLength(1);
});

test.each([200, 201, 202, 204])('a %i response acknowledges the event, whatever its body is', async (status) => {
  await send(() => (answer) => answer.writeHead(status).end(status === 204 ? undefined : 'thank you'));
  expect(await attempt()).toEqual({ status: 'delivered', seconds: null });
});

test('an event is sent six times at most: at once, and again 1, 2, 4, 8 and 16 seconds after each failure', async () => {
  await send(() => 500);
  for (const seconds of RETRIES) {
    expect(await attempt()).toEqual({ status: 'pending', seconds });
    await waitIsOver();
    clock.advance(seconds);
  }
  expect(await attempt()).toEqual({ status: 'failed', seconds: null });
  await waitIsOver();
  await attempt();
  expect(receiver.received).toHaveLength(6);
});

test('every attempt of an event has the same event id, the same body, and a timestamp and nonce of its own', async () => {
  await send(() => 503);
  for (const seconds of RETRIES) {
    await attempt();
    await waitIsOver();
    clock.advance(seconds);
  }
  const different = (values: readonly string[]) => new Set(values).size;
  expect(different(headers('x-service-event-id'))).toBe(1);
  expect(different(receiver.received.map(({ body }) => body.toString()))).toBe(1);
  for (const name of ['timestamp', 'nonce', 'signature'])
    expect(different(headers(`x-service-${name}`))).toBe(RETRIES.length);
});
