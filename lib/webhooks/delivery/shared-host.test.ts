// Several stores' endpoints at one host, as at a platform that many shops use. A hanging one uses up the host's calls,
// and the others' deliveries are sent all the same.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { eventually, openReceiver, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent, type TestEndpoint } from '@/testing/receivers/webhooks';
import { leaseDue } from './lease';
import { openDispatcher } from './deliver';
import { MAX_PER_HOST } from './hosts';

let database: TestDatabase;
let context: Context;
let receiver: Receiver;
beforeAll(async () => {
  database = await openTestDatabase(20);
  context = testContext(database, new TestClock(), testConfig());
  receiver = await openReceiver((_, { path }) => (path.startsWith('/hangs') ? 'hang' : 200));
});
afterEach(() => database.pool.query('TRUNCATE deliveries, delivery_attempts'));
afterAll(async () => {
  await receiver.close();
  await database.close();
});

const at = (path: string) => makeEndpoint(database, context, new URL(path, receiver.url).href);
async function events(endpoint: TestEndpoint, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await recordEvent(context, endpoint);
}

test('deliveries to a host do not wait behind other stores’ hanging deliveries', async () => {
  const [slow, slower, quick] = [await at('/hangs/1'), await at('/hangs/2'), await at('/quick')];
  await events(slow, MAX_PER_HOST);
  await events(slower, MAX_PER_HOST);
  const dispatcher = openDispatcher(context, { deadlineMilliseconds: 15_000 });
  expect(await dispatcher.pump()).toBe(MAX_PER_HOST);
  expect(await dispatcher.pump()).toBe(0);
  for (let n = 1; n <= 3; n++) {
    await events(quick, 1);
    await dispatcher.pump();
    await eventually(() => receiver.received.filter(({ path }) => path === '/quick').length === n, 4000);
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `SELECT count(*)::int AS open FROM deliveries WHERE store_id = $1 AND status = 'pending'`,
        [quick.storeId],
      );
      return rows[0].open === 0;
    }, 4000);
  }
  expect(await dispatcher.idle(60_000)).toBe(true);
  dispatcher.close();
});

test('a host without room gets one call of each endpoint that has none in flight, and no more', async () => {
  const [busy, idle] = [await at('/hangs/1'), await at('/quick')];
  await events(busy, 3);
  await events(idle, 3);
  const { host } = new URL(receiver.url);
  const leased = await leaseDue(context, {
    ...{ total: 100, perEndpoint: 64, inFlight: [{ ...busy, count: 4 }] },
    hosts: { unknown: 4, known: [{ host, room: 0 }] },
  });
  expect(leased.map(({ storeId }) => storeId)).toEqual([idle.storeId]);
});
