// The worker's loop in real time: the delay of an event, the accuracy of retries, a lost database, and shutdown.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { eventually, openReceiver, type Behaviour, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import type { DispatcherOptions } from './deliver';
import { runDeliveries } from './run';

let database: TestDatabase;
let context: Context;
const receivers: Receiver[] = [];
const stopping: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await openTestDatabase(10);
  context = testContext(database, systemClock, testConfig());
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await Promise.all(stopping.splice(0).map((stop) => stop()));
});
afterAll(() => database.close());

async function storeAt(behave?: Behaviour) {
  const receiver = await openReceiver(behave);
  receivers.push(receiver);
  return { receiver, ...(await makeEndpoint(database, context, receiver.url)) };
}
/** Starts a loop. Returns a function that stops it and waits for its end. */
function running(options: DispatcherOptions = {}): () => Promise<void> {
  const controller = new AbortController();
  const ended = runDeliveries(context, controller.signal, options);
  const stop = () => {
    controller.abort();
    return ended;
  };
  stopping.push(stop);
  return stop;
}
const arrivals = ({ received }: Receiver, count: number) =>
  eventually(() => (received.length >= count ? received : null));
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

test('the median event is sent within a quarter of a second of its commit', async () => {
  const { receiver, ...store } = await storeAt();
  running();
  let sent = 0;
  const medianDelay = async (): Promise<number> => {
    const delays: number[] = [];
    for (const last = sent + 15; sent < last;) {
      await recordEvent(context, store);
      const committed = Date.now();
      await arrivals(receiver, ++sent);
      delays.push(receiver.received[sent - 1]!.at - committed);
    }
    return median(delays);
  };
  // Other tests may keep the processors busy for a while.
  let best = await medianDelay();
  for (let again = 0; again < 2 && best >= 250; again++) best = Math.min(best, await medianDelay());
  expect(best).toBeLessThan(250);
});

test('retries keep to the schedule while receivers of many stores hang', async () => {
  const hanging = await Promise.all(Array.from({ length: 24 }, () => storeAt(() => 'hang')));
  const failing = await Promise.all(Array.from({ length: 4 }, () => storeAt((n) => (n < 2 ? 500 : 200))));
  running({ deadlineMilliseconds: 10_000 });
  await Promise.all(hanging.map((store) => recordEvent(context, store)));
  await Promise.all(failing.map((store) => recordEvent(context, store)));
  for (const { receiver } of failing) {
    const [first, second, third] = (await arrivals(receiver, 3)).map(({ at }) => at) as [number, number, number];
    for (const [gap, due] of [
      [second - first, 1000],
      [third - second, 2000],
    ] as const) {
      expect(gap).toBeGreaterThanOrEqual(due * 0.95);
      // Before any call to a hanging receiver times out.
      expect(gap).toBeLessThan(due + 2900);
    }
  }
});

test('a database outage loses no event', async () => {
  const { receiver, ...store } = await storeAt();
  running();
  await recordEvent(context, store);
  await arrivals(receiver, 1);
  const admin = await database.pool.connect();
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  admin.release();
  await recordEvent(context, store);
  await arrivals(receiver, 2);
  // Received by notification, not only by polling: the listening connection was reopened.
  const { rows } = await eventually(async () => {
    const found = await database.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
    );
    return found.rowCount === 1 ? found : null;
  });
  expect(rows.length).toBe(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id'])).size).toBe(2);
});

test('an outcome that the database could not store at first is stored later, so the receiver gets the event once', async () => {
  let answer = () => {};
  const { receiver, ...store } = await storeAt(() => (response) => (answer = () => response.writeHead(200).end()));
  running();
  await recordEvent(context, store);
  await arrivals(receiver, 1);
  const { rows: before } = await database.pool.query('SELECT id FROM deliveries WHERE store_id = $1', [store.storeId]);
  const locker = await database.pool.connect();
  try {
    await locker.query('BEGIN');
    await locker.query('SELECT 1 FROM deliveries WHERE id = $1 FOR UPDATE', [before[0].id]);
    answer();
    await eventually(async () => {
      const cut = await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%outcome%'`);
      return cut.rowCount === 1;
    });
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  await eventually(async () => {
    const { rows } = await database.pool.query('SELECT status FROM deliveries WHERE id = $1', [before[0].id]);
    return rows[0].status === 'delivered';
  });
  expect(receiver.received.length).toBe(1);
});

test('shutdown waits for a call in flight and its outcome', async () => {
  const { receiver, ...store } = await storeAt(
    () => (answer) => void setTimeout(() => answer.writeHead(200).end(), 300),
  );
  const stop = running();
  await recordEvent(context, store);
  await arrivals(receiver, 1);
  await stop();
  const { rows } = await database.pool.query('SELECT status FROM deliveries WHERE store_id = $1', [store.storeId]);
  expect(rows).toEqual([{ status: 'delivered' }]);
});
