// Which optional events an endpoint gets: none until its merchant chooses some.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig } from '@/testing/fixtures';
import { chooseOptionalEvents, readOptionalEvents } from './optional';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

test('an endpoint has no optional events at first, then the chosen ones, and without an endpoint there is no choice', async () => {
  const { storeId } = await makeStore(db, testConfig());
  const of = { storeId, environment: 'test' } as const;
  expect(await readOptionalEvents(db.pool, of)).toBeNull();
  expect(await chooseOptionalEvents(db.pool, { ...of, events: ['payment.seen'] })).toBeNull();
  await db.prisma.webhookEndpoint.create({
    data: { ...of, url: 'https://shop.example/hook', secretCiphertext: new Uint8Array(1) },
  });
  expect(await readOptionalEvents(db.pool, of)).toEqual([]);
  await chooseOptionalEvents(db.pool, { ...of, events: ['payment.partial', 'payment.seen'] });
  expect(await readOptionalEvents(db.pool, of)).toEqual(['payment.seen', 'payment.partial']);
});
