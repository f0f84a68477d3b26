// Old deliveries and mails go, no others do, and what goes is in an archive first.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { queueMail } from '@/lib/merchants/mail/queue';
import type { Context } from '@/lib/platform/context';
import { sha256 } from '@/lib/platform/crypto';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { failingPool } from '@/testing/database/failing-pool';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { readPlan } from '@/testing/database/read-plan';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { AT_ONCE, OLD_RECORDS } from './records';
import { removeOldRecords } from './step';

const DAY = 86_400;
const root = useTemporaryDirectory();
let db: TestDatabase;
let clock: TestClock;
let directory: string;
let context: Context;
let plain: Context;
/** The first moment of the month that lies the retention of deliveries back, in days before now. */
let cutoffAge: number;
const RETENTION = { DELIVERY_RETENTION_DAYS: '90' };

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  // `archives` is append-only, so each test reads its own files.
  await db.pool.query('TRUNCATE deliveries, delivery_attempts, mails, quarantine');
  directory = fs.mkdtempSync(path.join(root, 'archive-'));
  clock = new TestClock(Math.floor(Date.now() / 1000));
  context = testContext(db, clock, testConfig({ ARCHIVE_DIR: directory, ...RETENTION }));
  plain = testContext(db, clock, testConfig(RETENTION));
  const now = clock.now();
  const last = new Date(now.getTime() - 90 * DAY * 1000);
  cutoffAge = (now.getTime() - Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1)) / 1000 / DAY;
});

type Given = {
  age?: number;
  status?: 'pending' | 'delivered' | 'failed';
  attempts?: number;
  event?: string;
  notice?: boolean;
};

async function addDelivery(given: Given = {}): Promise<string> {
  const { age = 200, status = 'delivered', attempts = 1, event = `evt_${randomUUID()}`, notice = false } = given;
  const ended = new Date(clock.now().getTime() - age * DAY * 1000);
  const { rows } = await db.pool.query(
    `INSERT INTO deliveries (event_id, store_id, environment, status, attempts, created_at, finished_at, is_notice_due)
     VALUES ($1, 'store', 'test', $2::"DeliveryStatus", $3, $4::timestamptz - interval '1 minute', CASE WHEN $2 <> 'pending' THEN $4::timestamptz END, $5)
     RETURNING id`,
    [event, status, attempts, ended, notice],
  );
  await db.pool.query(
    `INSERT INTO delivery_attempts (delivery_id, number, url, started_at, finished_at, status_code, answer, request_headers)
     SELECT $1, n, 'https://user:word@shop.example/secret-path?token=secret-token', $2, $2, CASE WHEN $4 = 'delivered' AND n = $3 THEN 200 ELSE 500 END,
       E'line\\nnext „✓“', '{"X-Service-Signature": "ab…"}' FROM generate_series(1, $3::int) n`,
    [rows[0].id, ended, attempts, status],
  );
  return rows[0].id;
}

const idsOf = async (table: string): Promise<string[]> =>
  (await db.pool.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).rows.map(({ id }) => id);

/** Runs the step until it has nothing more to do. */
async function removeAll(of: Context = context): Promise<void> {
  for (let runs = 0; (await removeOldRecords(of)).more; runs++) expect(runs).toBeLessThan(100);
}

type Recorded = { source: string; file: string; sha256: Buffer; rows: number; bytes: string };

/** The recorded files of this test's directory, each checked against its row and its description. */
async function archived(): Promise<{ source: string; lines: string[] }[]> {
  const { rows } = await db.pool.query<Recorded>('SELECT source, file, sha256, rows, bytes FROM archives ORDER BY id');
  return rows
    .filter(({ file }) => fs.existsSync(path.join(directory, file)))
    .map(({ source, file, sha256: hash, rows: count, bytes }) => {
      const content = fs.readFileSync(path.join(directory, file));
      expect(sha256(content)).toEqual(hash);
      const description = JSON.parse(
        fs.readFileSync(path.join(directory, file.replace('.ndjson.gz', '.json')), 'utf8'),
      );
      const own = { source, file, sha256: hash.toString('hex'), rows: count, bytes: Number(bytes) };
      expect(description).toEqual({ ...own, month: file.split('/')[1] });
      const lines = zlib.gunzipSync(content).toString('utf8').split('\n');
      expect(lines.pop()).toBe('');
      expect(lines).toHaveLength(count);
      return { source, lines };
    });
}
const archivedIds = async (source: string): Promise<string[]> =>
  (await archived())
    .filter((one) => one.source === source)
    .flatMap(({ lines }) => lines.map((line) => `${JSON.parse(line).id}`));
const sorted = (ids: readonly string[]): string[] => [...ids].toSorted((one, other) => Number(one) - Number(other));

const ages = fc.double({ min: 0, max: 250, noNaN: true });
const anyDelivery = fc.record({
  age: ages,
  status: fc.constantFrom('pending' as const, 'delivered' as const, 'failed' as const),
  attempts: fc.integer({ min: 1, max: 4 }),
  event: fc.constantFrom('evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5', 'evt_6'),
  notice: fc.boolean(),
});

describe('what goes', () => {
  it('is every delivery that ended before the retention, with its event’s others, and no other one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyDelivery, { maxLength: 12 }), fc.boolean(), async (given, isArchiving) => {
        await db.pool.query('TRUNCATE deliveries, delivery_attempts');
        const before = await archivedIds('deliveries');
        const made: (Given & { id: string; isOld: boolean })[] = [];
        for (const one of given) {
          const notice = one.notice && one.status === 'failed';
          const id = await addDelivery({ ...one, notice });
          made.push({ ...one, notice, id, isOld: one.status !== 'pending' && one.age > cutoffAge });
        }
        const goes = ({ event, isOld, notice }: (typeof made)[number]) =>
          isOld && !notice && made.every((other) => other.event !== event || other.isOld);
        const gone = made.filter(goes).map(({ id }) => id);
        await removeAll(isArchiving ? context : plain);
        expect(await idsOf('deliveries')).toEqual(sorted(made.filter((one) => !goes(one)).map(({ id }) => id)));
        const left = await db.pool.query('SELECT DISTINCT delivery_id AS id FROM delivery_attempts ORDER BY id');
        expect(left.rows.map(({ id }) => id)).toEqual(await idsOf('deliveries'));
        const now = await archivedIds('deliveries');
        expect(sorted(now.filter((id) => !before.includes(id)))).toEqual(isArchiving ? sorted(gone) : []);
      }),
      { numRuns: 40 },
    );
  });

  it('is nothing with a retention of 0, and nothing by a clock that is ahead of the database’s', async () => {
    const id = await addDelivery();
    await addMail({ age: 200 });
    await removeAll(testContext(db, clock, testConfig({ DELIVERY_RETENTION_DAYS: '0', MAIL_RETENTION_DAYS: '0' })));
    expect([await idsOf('deliveries'), await idsOf('mails')]).toEqual([[id], [expect.any(String)]]);
    await db.pool.query(`UPDATE deliveries SET finished_at = now()`);
    clock.advance(1000 * DAY);
    await removeAll();
    expect(await idsOf('deliveries')).toEqual([id]);
  });

  it('leaves books in which every delivery still has its attempts', async () => {
    await addDelivery({ attempts: 3 });
    await addDelivery({ age: 1, attempts: 2 });
    await removeAll();
    expect(await idsOf('deliveries')).toHaveLength(1);
    const books = await checkBooks(db.pool);
    expect(books.find(({ id }) => id === 'INV-6c')).toMatchObject({ count: 0 });
  });

  it('is found by an index, also among many deliveries that stay', async () => {
    await insertMany(
      db.pool,
      20_000,
      (n) => `INSERT INTO deliveries (event_id, store_id, environment, status, attempts, finished_at)
              SELECT 'evt_' || n, 'store', 'test', 'delivered', 0, now() - n * interval '1 minute' FROM ${n}`,
    );
    await insertMany(
      db.pool,
      20_000,
      (n) => `INSERT INTO mails (recipient, subject, body, created_at, next_at, sent_at)
              SELECT 'a@shop.example', 's', '', now() - n * interval '1 minute', now(), now() - n * interval '1 minute' FROM ${n}`,
    );
    await db.pool.query('VACUUM ANALYZE deliveries, mails');
    const now = clock.now();
    for (const { find } of OLD_RECORDS) {
      const { rowsRead } = await readPlan(db.pool, {
        text: find,
        values: [new Date(now.getTime() - 13 * DAY * 1000), now],
      });
      expect(rowsRead).toBeLessThanOrEqual(2 * AT_ONCE);
    }
  });
});

async function addMail({
  age,
  state = 'sent_at',
  rank = 0,
  isOld = true,
}: {
  age: number;
  state?: string;
  rank?: number;
  isOld?: boolean;
}): Promise<void> {
  const to = 'member@shop.example';
  await queueMail(db.pool, context, {
    to,
    kind: 'Reset',
    values: { link: 'https://x.example/secret-link' },
    locale: 'en',
    now: clock.now(),
  });
  const at = new Date(clock.now().getTime() - age * DAY * 1000);
  const created = isOld && state !== 'created_at' ? ', created_at = $1' : '';
  await db.pool.query(`UPDATE mails SET rank = $2, ${state} = $1${created} WHERE id = (SELECT max(id) FROM mails)`, [
    at,
    rank,
  ]);
}

describe('a mail', () => {
  it('goes 30 days after it was sent, and never while it waits or where it failed', async () => {
    await addMail({ age: 100 });
    await addMail({ age: 100, rank: 2 });
    await addMail({ age: 100, state: 'failed_at' });
    await addMail({ age: 100, state: 'created_at' });
    await addMail({ age: 29 });
    // Web says of a mail of today that it was sent long ago.
    await addMail({ age: 100, isOld: false });
    const [one, other, ...kept] = await idsOf('mails');
    await removeAll();
    expect(await idsOf('mails')).toEqual(kept);
    expect(sorted(await archivedIds('mails'))).toEqual([one, other]);
    const lines = (await archived()).flatMap(({ lines: some }) => some).map((line) => JSON.parse(line));
    expect(lines.map(({ recipient }) => recipient)).toEqual(['member@shop.example', '']);
  });
});

describe('an archive', () => {
  it('holds exactly the removed rows, without anything that is a secret', async () => {
    await addDelivery({ attempts: 3, status: 'failed' });
    await addDelivery({ age: 150 });
    await addMail({ age: 100 });
    const { rows: deliveries } = await db.pool.query(
      `SELECT to_json(d)::jsonb - '{next_at,epoch,attempts,is_notice_due}'::text[] AS row FROM deliveries d ORDER BY id`,
    );
    const { rows: attempts } = await db.pool.query(
      `SELECT (to_json(a)::jsonb - '{id,delivery_id,url}'::text[]) || '{"host": "https://shop.example"}' AS row FROM delivery_attempts a ORDER BY delivery_id, number`,
    );
    await removeAll();
    const found = (await archived()).filter(({ source }) => source === 'deliveries').flatMap(({ lines }) => lines);
    const exported = found.map((line) => JSON.parse(line));
    expect(exported.map(({ attempts: _, ...row }) => row)).toEqual(deliveries.map(({ row }) => row));
    expect(exported.flatMap(({ attempts: list }) => list)).toEqual(attempts.map(({ row }) => row));
    const text = (await archived()).flatMap(({ lines }) => lines).join('\n');
    expect(text).toContain('X-Service-Signature');
    expect(text).not.toMatch(/secret|body|user:word/);
  });

  it('holds rows of one month', async () => {
    for (const age of [150, 181, 212]) await addDelivery({ age });
    await removeAll();
    const { rows } = await db.pool.query(`SELECT source, to_char(month, 'YYYY-MM') AS month, file FROM archives`);
    const own = rows.filter(({ file }) => fs.existsSync(path.join(directory, file)));
    expect(new Set(own.map(({ month }) => month)).size).toBe(3);
    for (const { month, file } of own)
      expect(file).toMatch(new RegExp(`^deliveries/${month}/[0-9a-f]{32}\\.ndjson\\.gz$`));
    for (const { lines } of await archived()) expect(lines).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)(
    'is repeated safely when the process ends %s any of its statements',
    async (when) => {
      const made: string[] = [];
      let isWhole = false;
      for (let at = 1; !isWhole; at++) {
        expect(at).toBeLessThan(60);
        made.push(await addDelivery({ attempts: 2 }), await addDelivery({ age: 160 }));
        const dying = { ...context, pool: failingPool(db.pool, at, when) };
        isWhole = await removeOldRecords(dying).then(
          () => true,
          () => false,
        );
        const [left, recorded] = [await idsOf('deliveries'), await archivedIds('deliveries')];
        expect(sorted([...left, ...recorded])).toEqual(sorted(made));
      }
      await removeAll();
      expect(sorted(await archivedIds('deliveries'))).toEqual(sorted(made));
      expect(await idsOf('deliveries')).toEqual([]);
    },
  );

  it('is needed: without it nothing goes, and the step fails', async () => {
    const id = await addDelivery();
    const missing = testContext(db, clock, testConfig({ ARCHIVE_DIR: path.join(directory, 'missing'), ...RETENTION }));
    await expect(removeOldRecords(missing)).rejects.toThrow(/ENOENT.*missing/);
    expect([await idsOf('deliveries'), await openQuarantine(db.pool)]).toEqual([[id], []]);
  });

  it('is written once by two workers at once', async () => {
    const made: string[] = [];
    for (let n = 0; n < 6; n++) made.push(await addDelivery({ age: 110 + 31 * n }));
    for (let runs = 0; runs < 8; runs++) await Promise.all([removeOldRecords(context), removeOldRecords(context)]);
    expect(await idsOf('deliveries')).toEqual([]);
    expect(sorted(await archivedIds('deliveries'))).toEqual(made);
  });
});

describe('a row that cannot be removed', () => {
  it('stays and is quarantined, while all others go', async () => {
    const made: string[] = [];
    for (let n = 0; n < 7; n++) made.push(await addDelivery());
    const bad = made[3] as string;
    const end = await makeFault(db.pool, { table: 'deliveries', on: 'DELETE', row: `OLD.id = ${bad}` });
    await addMail({ age: 100 });
    await removeAll();
    expect([await idsOf('deliveries'), await idsOf('mails')]).toEqual([[bad], []]);
    expect(await openQuarantine(db.pool)).toEqual([
      { kind: 'old_record', id: `deliveries ${bad}`, error: expect.stringContaining('a fault of this row') },
    ]);
    expect(sorted(await archivedIds('deliveries'))).toEqual(made.filter((id) => id !== bad));
    await end();
    await removeAll();
    expect(await idsOf('deliveries')).toEqual([bad]);
    clock.advance(10);
    await db.pool.query(`UPDATE quarantine SET next_run_at = now() - interval '1 second'`);
    await removeAll();
    expect([await idsOf('deliveries'), await openQuarantine(db.pool)]).toEqual([[], []]);
    expect(sorted(await archivedIds('deliveries'))).toEqual(made);
  });
});
