// Events go only where the operator wants it, only into an archive, and never before their deliveries. What merchants read stays as it was.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { readPaymentFacts } from '@/lib/dashboard/payment/facts';
import type { Context } from '@/lib/platform/context';
import { listEvents } from '@/lib/webhooks/events/list';
import { resendEvent } from '@/lib/webhooks/console/resend';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import { truncateFacts } from '@/testing/database/truncate';
import { readPlan } from '@/testing/database/read-plan';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { makeChain, makeStore, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { insertMany } from '@/testing/many-rows';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { AT_ONCE, OLD_RECORDS } from './records';
import { removeOldRecords } from './step';

const DAY = 86_400;
const root = useTemporaryDirectory();
let db: TestDatabase;
let directory: string;
let clock: TestClock;
let context: Context;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await truncateFacts(db.pool, 'events, deliveries, delivery_attempts, archives, quarantine');
  directory = fs.mkdtempSync(path.join(root, 'archive-'));
  clock = new TestClock(Math.floor(Date.now() / 1000));
  context = testContext(
    db,
    clock,
    testConfig({ ARCHIVE_DIR: directory, DELIVERY_RETENTION_DAYS: '90', EVENT_RETENTION_DAYS: '365' }),
  );
});

const URL_OF = 'http://127.0.0.1:1/hook';
/** An event of this age in days. Returns its id. Its delivery, if any, ended then. */
async function addEvent(
  of: { storeId: string; environment: 'test' | 'live' },
  age: number,
  ends = true,
): Promise<string> {
  const object = await recordEvent(context, of);
  const { rows } = await db.pool.query('SELECT id FROM events WHERE object_id = $1', [object]);
  const at = new Date(clock.now().getTime() - age * DAY * 1000);
  await replica(`UPDATE events SET created_at = $2 WHERE id = $1`, [rows[0].id, at]);
  const end = ends ? `status = 'delivered', finished_at = $2` : 'next_at = $2';
  await replica(`UPDATE deliveries SET created_at = $2, ${end} WHERE event_id = $1`, [rows[0].id, at]);
  return rows[0].id;
}
/** Changes what triggers protect, as time would have. */
async function replica(text: string, values: unknown[]): Promise<void> {
  const client = await db.pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    await client.query(text, values);
    await client.query('RESET session_replication_role');
  } finally {
    client.release();
  }
}
async function removeAll(of: Context = context): Promise<void> {
  for (let runs = 0; (await removeOldRecords(of)).more; runs++) expect(runs).toBeLessThan(100);
  // Events may go only after the run that removed their deliveries.
  for (let runs = 0; (await removeOldRecords(of)).more; runs++) expect(runs).toBeLessThan(100);
}
const eventIds = async (): Promise<string[]> =>
  (await db.pool.query<{ id: string }>('SELECT id FROM events ORDER BY written_in, id')).rows.map(({ id }) => id);
async function archivedEvents(): Promise<Record<string, unknown>[]> {
  const { rows } = await db.pool.query(`SELECT file FROM archives WHERE source = 'events' ORDER BY id`);
  return rows.flatMap(({ file }) => {
    const lines = zlib
      .gunzipSync(fs.readFileSync(path.join(directory, file)))
      .toString('utf8')
      .trimEnd()
      .split('\n');
    return lines.map((line) => JSON.parse(line));
  });
}

it('stay for ever by default', async () => {
  const of = await makeEndpoint(db, context, URL_OF);
  const id = await addEvent(of, 5000);
  await removeAll(testContext(db, clock, testConfig({ ARCHIVE_DIR: directory, DELIVERY_RETENTION_DAYS: '90' })));
  expect(await eventIds()).toEqual([id]);
});

it('go into archives after their retention, each with its exact text, in both environments and for every store', async () => {
  const [one, other] = [await makeEndpoint(db, context, URL_OF), await makeEndpoint(db, context, URL_OF, 'live')];
  const old: string[] = [];
  for (const age of [410, 450, 900]) for (const of of [one, other]) old.push(await addEvent(of, age));
  const young = [await addEvent(one, 364), await addEvent(other, 1)];
  const { rows: before } = await db.pool.query('SELECT * FROM events WHERE id = ANY($1)', [old]);
  await removeAll();
  expect(await eventIds()).toEqual(young);
  const found = await archivedEvents();
  expect(found.map(({ id, body }) => ({ id, body })).toSorted(byId)).toEqual(
    before.map(({ id, body }) => ({ id, body })).toSorted(byId),
  );
  const { rows } = await db.pool.query(`SELECT sum(rows)::int AS rows FROM archives WHERE source = 'events'`);
  expect(rows[0].rows).toBe(old.length);
});
const byId = (a: { id: unknown }, b: { id: unknown }): number => (String(a.id) < String(b.id) ? -1 : 1);

it('stay while a delivery of theirs waits', async () => {
  const of = await makeEndpoint(db, context, URL_OF);
  const id = await addEvent(of, 500, false);
  await removeAll();
  expect(await eventIds()).toEqual([id]);
});

it('never go without an archive directory, or before their deliveries, and the step says so', async () => {
  const of = await makeEndpoint(db, context, URL_OF);
  const id = await addEvent(of, 500);
  const without = testContext(db, clock, testConfig({ DELIVERY_RETENTION_DAYS: '90', EVENT_RETENTION_DAYS: '365' }));
  await expect(removeOldRecords(without)).rejects.toThrow('EVENT_RETENTION_DAYS needs ARCHIVE_DIR');
  for (const DELIVERY_RETENTION_DAYS of ['0', '366']) {
    const config = testConfig({ ARCHIVE_DIR: directory, DELIVERY_RETENTION_DAYS, EVENT_RETENTION_DAYS: '365' });
    await expect(removeOldRecords(testContext(db, clock, config))).rejects.toThrow(
      'EVENT_RETENTION_DAYS needs a DELIVERY',
    );
  }
  expect(await eventIds()).toEqual([id]);
});

it('are refused to be removed by anything else', async () => {
  const of = await makeEndpoint(db, context, URL_OF);
  const [old, young] = [await addEvent(of, 500), await addEvent(of, 30)];
  await db.pool.query('DELETE FROM deliveries');
  const remove = (id: string, archive: string) => {
    const row = `INSERT INTO archives (source, month, file, sha256, rows, bytes) SELECT '${archive}', date_trunc('month', created_at), id, sha256('x'), 1, 1
      FROM events WHERE id = '${id}'`;
    return db.pool
      .query(`BEGIN; ${row}; DELETE FROM events WHERE id = '${id}'; ROLLBACK`)
      .finally(() => db.pool.query('ROLLBACK'));
  };
  await expect(db.pool.query('DELETE FROM events WHERE id = $1', [old])).rejects.toThrow('append-only');
  await expect(remove(old, 'mails')).rejects.toThrow('append-only');
  await expect(remove(young, 'events')).rejects.toThrow('archives_events_old');
  const ahead = `INSERT INTO archives (source, month, file, sha256, rows, bytes) VALUES ('events', '9999-01-01', 'f', sha256('x'), 1, 1)`;
  await expect(db.pool.query(ahead)).rejects.toThrow('archives_events_old');
  // A table of the attacker's own is not looked at.
  const own = `BEGIN; CREATE TEMP TABLE archives AS SELECT 'events' AS source, date_trunc('month', created_at)::date AS month FROM events`;
  await expect(
    db.pool.query(`${own}; DELETE FROM events WHERE id = '${old}'; ROLLBACK`).finally(() => db.pool.query('ROLLBACK')),
  ).rejects.toThrow('append-only');
  await expect(db.pool.query(`UPDATE events SET body = ''`)).rejects.toThrow('append-only');
  await remove(old, 'events');
  expect(await eventIds()).toEqual([old, young]);
});

it('stay alone when they cannot be removed', async () => {
  const of = await makeEndpoint(db, context, URL_OF);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await addEvent(of, 500));
  const end = await makeFault(db.pool, { table: 'events', on: 'DELETE', row: `OLD.id = '${ids[2]}'` });
  await removeAll();
  await end();
  expect(await eventIds()).toEqual([ids[2]]);
  expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'old_record', id: `events ${ids[2]}` }]);
});

const callerOf = ({ keyId, storeId }: TestStore): Caller =>
  ({ key: { id: keyId, storeId, environment: 'test' }, nonce: crypto.randomUUID() }) as Caller;

it('leave the cursor of a reader valid: it continues with the next event, and misses none that is there', async () => {
  const store = await makeStore(db, context.config);
  const of = { storeId: store.storeId, environment: 'test' as const };
  const ids: string[] = [];
  for (const age of [500, 500, 450, 100, 50, 10]) ids.push(await addEvent(of, age));
  const page = (after: Parameters<typeof listEvents>[2]['after'], limit = 2) =>
    listEvents(context, callerOf(store), { order: 'asc', after, limit });
  const idsIn = ({ bodies }: { bodies: readonly string[] }) => bodies.map((body) => JSON.parse(body).id);
  // An event is listed once every older transaction of the server has ended, those of other tests included.
  await untilTransactionsEnd(db);
  expect(idsIn(await page(null, 10))).toEqual(ids);
  const [first, whole] = [await page(null), await page(null, 10)];
  await removeAll();
  expect(idsIn(await page(first.last, 10))).toEqual(ids.slice(3));
  expect(idsIn(await page(null, 10))).toEqual(ids.slice(3));
  expect(idsIn(await page(whole.last, 10))).toEqual([]);
  const next = await addEvent(of, 0);
  await untilTransactionsEnd(db);
  expect(idsIn(await page(whole.last, 10))).toEqual([next]);
});

it('that lost their deliveries can be sent again', async () => {
  const of = await makeEndpoint(db, context, URL_OF);
  const id = await addEvent(of, 200);
  await removeAll();
  expect((await db.pool.query('SELECT FROM deliveries WHERE event_id = $1', [id])).rowCount).toBe(0);
  expect(await resendEvent(context, { storeId: of.storeId, eventId: id })).not.toBeNull();
});

it('are not missed by the books after they were archived, and are before', async () => {
  const chains = { ethereum: await makeChain(db, 'ethereum', EXPIRES), bsc: await makeChain(db, 'bsc', EXPIRES) };
  const store = await makeStore(db, context.config);
  const sessions = openSettledSessions(db, clock, chains);
  const session = await sessions.make(store.storeId, 'canceled');
  const at = new Date(clock.now().getTime() - 500 * DAY * 1000);
  await replica('UPDATE sessions SET closed_at = $2, created_at = $2 WHERE id = $1', [session, at]);
  const violations = async () => (await checkBooks(db.pool)).find(({ id }) => id === 'INV-6a')?.violations ?? [];
  expect(await violations()).toEqual([`session ${session} is canceled without payment.cancelled`]);
  const event = await addEvent({ storeId: store.storeId, environment: 'test' }, 500);
  await replica('UPDATE events SET object_id = $2 WHERE id = $1', [event, session]);
  await replica('UPDATE sessions SET exchange_rate = NULL WHERE id = $1', [session]);
  expect(await violations()).toEqual([]);
  const of = { storeId: store.storeId, environment: 'test' as const };
  const { events, ...before } = (await readPaymentFacts(db.pool, of, session)) ?? { events: [] };
  await removeAll();
  expect(await violations()).toEqual([]);
  expect([events.length, await readPaymentFacts(db.pool, of, session)]).toEqual([1, { ...before, events: [] }]);
});

it('are found by an index of their store, also among many that stay', async () => {
  await makeStore(db, context.config);
  await db.pool.query(`INSERT INTO stores (id, owner_id, name, status)
    SELECT 'st_many_' || n, (SELECT owner_id FROM stores LIMIT 1), 'Store', 'approved' FROM generate_series(0, 3) n`);
  await insertMany(
    db.pool,
    40_000,
    (n) => `INSERT INTO events (id, store_id, environment, type, object_id, body, created_at)
            SELECT 'evt_many_' || n, 'st_many_' || n % 4, 'test', 'payment.expired', 'cs_' || n, '{}', now() - n * interval '20 minutes' FROM ${n}`,
  );
  await db.pool.query('VACUUM ANALYZE events');
  const find = OLD_RECORDS.find(({ source }) => source === 'events')?.find ?? '';
  const values = [new Date(clock.now().getTime() - 480 * DAY * 1000), clock.now()];
  const { rowsRead } = await readPlan(db.pool, { text: find, values });
  const { rows } = await db.pool.query(find, values);
  expect(rows.length).toBeGreaterThan(100);
  expect(rowsRead).toBeLessThanOrEqual(AT_ONCE);
});
