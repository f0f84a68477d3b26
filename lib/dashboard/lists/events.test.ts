// The list of events in the dashboard: those of one store and environment, with the last delivery of each.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig } from '@/testing/fixtures';
import { listStoreEvents, readStoreEvent } from './events';
import { FIRST_PAGE } from './keyset';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

test('an event shows its last delivery, or none, and never an event of another store or environment', async () => {
  const config = testConfig();
  const [{ storeId }, other] = [await makeStore(db, config), await makeStore(db, config)];
  const of = { storeId, environment: 'test' } as const;
  const event = (id: string, at: number, over: object = {}) =>
    db.prisma.event.create({
      data: {
        id,
        ...of,
        type: 'payment.completed',
        objectId: `cs_test_${id}`,
        body: '{}',
        createdAt: new Date(at),
        ...over,
      },
    });
  await event('evt_sent', 2000);
  await event('evt_unsent', 1000);
  await event('evt_live', 3000, { environment: 'live' });
  await event('evt_other', 3000, { storeId: other.storeId });
  const delivery = { ...of, eventId: 'evt_sent', nextAt: new Date(0), createdAt: new Date(0) };
  await db.prisma.delivery.create({ data: { ...delivery, status: 'failed', attempts: 6, finishedAt: new Date(1) } });
  await db.prisma.delivery.create({ data: { ...delivery, attempts: 1 } });
  const { rows } = await listStoreEvents(db, of, {}, FIRST_PAGE);
  expect(rows).toMatchObject([
    { id: 'evt_sent', delivery: 'pending', attempts: 1 },
    { id: 'evt_unsent', delivery: null, attempts: null },
  ]);
  expect(await readStoreEvent(db, of, 'evt_sent')).toMatchObject({ objectId: 'cs_test_evt_sent', body: '{}' });
  expect(await readStoreEvent(db, of, 'evt_other')).toBeNull();
});
