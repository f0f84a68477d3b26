// check-books accepts a delivery that a receiver refused, and reports one that ended too early.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { openReceiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { openDispatcher } from '@/lib/webhooks/delivery/deliver';
import { checkBooks } from './check';

let db: TestDatabase;
let context: Context;
beforeAll(async () => {
  db = await openTestDatabase();
  context = testContext(db, new TestClock());
});
afterAll(() => db.close());

it('accepts a delivery that a 4xx response ended, and reports one that ended at the first 5xx', async () => {
  const receiver = await openReceiver(() => 400);
  const endpoint = await makeEndpoint(db, context, receiver.url);
  await db.pool.query(`UPDATE webhook_endpoints SET created_at = now() - interval '1 hour'`);
  await recordEvent(context, endpoint);
  const dispatcher = openDispatcher(context, {});
  await dispatcher.pump();
  await dispatcher.idle(10_000);
  dispatcher.close();
  await receiver.close();
  const ended = async () => (await db.pool.query('SELECT status::text, attempts FROM deliveries')).rows;
  const violations = async () => (await checkBooks(db.pool)).find(({ id }) => id === 'INV-6c')?.violations;
  expect(await ended()).toEqual([{ status: 'failed', attempts: 1 }]);
  expect(await violations()).toEqual([]);
  await db.pool.query('UPDATE delivery_attempts SET status_code = 500');
  expect(await violations()).toHaveLength(1);
});
