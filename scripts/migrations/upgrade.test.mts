// A migration waits for locks without holding up the service, says who holds them, and is planned before it runs.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { addressOfMigration, migrate } from '../migrate.mjs';
import { openOldInstallation, type OldInstallation } from '../old-installation.mjs';
import { linesOf, planUpgrade } from './plan.mjs';

let old: OldInstallation;
let directory: string;
let other: pg.Client;

beforeEach(async () => {
  old = await openOldInstallation(inject('databaseServer'), () => false);
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-migrations-'));
  write('1_first', 'CREATE TABLE orders (id int PRIMARY KEY, note text)');
  await migrate(old.url, directory);
  other = new pg.Client({ connectionString: old.url, application_name: 'report' });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await old.close();
  fs.rmSync(directory, { recursive: true });
});

function write(name: string, sql: string): void {
  fs.mkdirSync(path.join(directory, name));
  fs.writeFileSync(path.join(directory, name, 'migration.sql'), sql);
}

const columns = async () =>
  (
    await old.client.query(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attnum > 0`,
    )
  ).rows.map((row: { name: string }) => row.name);

test('a migration that gets no lock gives up soon, lets queries pass, and is applied once the lock is free', async () => {
  write('2_second', 'ALTER TABLE orders ADD COLUMN total int');
  await other.query('BEGIN');
  await other.query('SELECT * FROM orders');
  let pauses = 0;
  const pause = async () => {
    // No statement waits behind the migration here.
    await old.client.query('INSERT INTO orders VALUES ($1)', [pauses++]);
    if (pauses === 2) await other.query('COMMIT');
  };
  expect(await migrate(old.url, directory, { pause })).toEqual(['2_second']);
  expect(pauses).toBe(2);
  expect(await columns()).toEqual(['id', 'note', 'total']);
});

test('a migration that PostgreSQL ends because of a deadlock is applied at the next try', async () => {
  await old.client.query('CREATE TABLE lines (id int)');
  write('2_second', 'ALTER TABLE orders ADD COLUMN total int; ALTER TABLE lines ADD COLUMN total int');
  // PostgreSQL ends the migration and not this session, however late the latter begins to wait.
  await other.query(`SET deadlock_timeout = '1min'`);
  await other.query('BEGIN');
  await other.query('SELECT * FROM lines');
  let deadlocks = 0;
  const pause = async () => {
    deadlocks++;
    await other.query('ROLLBACK');
  };
  const migrated = migrate(old.url, directory, { pause });
  const isWaiting = async () =>
    (await old.client.query('SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass', ['lines'])).rowCount;
  while (!(await isWaiting()));
  const read = other.query('SELECT * FROM orders');
  expect(await migrated).toEqual(['2_second']);
  expect([(await read).rows, deadlocks, await columns()]).toEqual([[], 1, ['id', 'note', 'total']]);
});

test('a migration that gets no lock for long names the transaction that is open, and what was applied before stays', async () => {
  write('2_second', 'CREATE TABLE lines (id int)');
  write('3_third', 'ALTER TABLE orders ADD COLUMN total int');
  await other.query('BEGIN');
  await other.query('SELECT * FROM orders');
  const refused = migrate(old.url, directory, { tries: 1 });
  await expect(refused).rejects.toThrow(
    /3_third: .*lock timeout; these hold locks for long: process \d+ \(report\), \d+ s: SELECT \* FROM orders/,
  );
  await other.query('COMMIT');
  expect(await migrate(old.url, directory)).toEqual(['3_third']);
});

test('an index is built concurrently outside of a transaction, and built again where a build had failed', async () => {
  await old.client.query(`INSERT INTO orders VALUES (1, 'same'), (2, 'same')`);
  write('2_index', '-- Comment first.\nCREATE UNIQUE INDEX CONCURRENTLY "orders_note" ON orders (note)');
  await expect(migrate(old.url, directory)).rejects.toThrow(/2_index: could not create unique index/);
  const isValid = async () =>
    (await old.client.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('orders_note')`)).rows;
  expect(await isValid()).toEqual([{ indisvalid: false }]);
  await old.client.query('DELETE FROM orders WHERE id = 2');
  expect(await migrate(old.url, directory)).toEqual(['2_index']);
  expect(await isValid()).toEqual([{ indisvalid: true }]);
  expect(await migrate(old.url, directory)).toEqual([]);
});

test.each(['DROP INDEX CONCURRENTLY "orders_note"', 'DROP INDEX CONCURRENTLY "public"."orders_note";'])(
  '%s runs outside of a transaction, and again in a file whose record was lost',
  async (sql) => {
    await old.client.query('CREATE INDEX orders_note ON orders (note)');
    write('2_index_contract', sql);
    expect(await migrate(old.url, directory)).toEqual(['2_index_contract']);
    expect((await old.client.query(`SELECT to_regclass('orders_note') AS found`)).rows).toEqual([{ found: null }]);
    await old.client.query(`DELETE FROM _prisma_migrations WHERE migration_name = '2_index_contract'`);
    expect(await migrate(old.url, directory)).toEqual(['2_index_contract']);
  },
);

test('a plan asks for a stop of the former version before an index is dropped, and of all processes if that locks its table', async () => {
  await old.client.query('CREATE INDEX orders_note ON orders (note); CREATE INDEX orders_both ON orders (id, note)');
  write('2_index_contract', 'DROP INDEX CONCURRENTLY orders_note');
  const online = await planUpgrade(old.url, directory);
  expect(online).toMatchObject({ isOnline: false, breaks: ['the index orders_note is gone'] });
  expect(linesOf(online).join('\n')).not.toMatch(/LOCKED|is locked/);
  write('3_locked', 'DROP INDEX orders_both');
  expect(linesOf(await planUpgrade(old.url, directory)).join('\n')).toMatch(
    /DROP INDEX orders_both: ACCESS EXCLUSIVE.* \[LOCKED; BREAKS: the index orders_both is gone\]/,
  );
});

test('a plan names every lock with its table and size, changes nothing, and asks for a stop only where one is needed', async () => {
  await old.client.query(`INSERT INTO orders SELECT n, repeat('x', 1000) FROM generate_series(1, 60000) AS n`);
  write(
    '2_online',
    'ALTER TABLE orders ADD COLUMN total int; CREATE TABLE lines (id int); CREATE INDEX lines_id ON lines (id)',
  );
  const online = await planUpgrade(old.url, directory);
  expect(online).toMatchObject({ isOnline: true, breaks: [] });
  expect(linesOf(online).join('\n')).toMatch(
    /lacks 1 .*\n\n2_online\n {2}ALTER TABLE orders ADD COLUMN total int: ACCESS EXCLUSIVE on orders \(\d+\.\d MB\)\n\nWeb and worker may run/,
  );

  write('3_locked', 'CREATE INDEX orders_note ON orders (note); ALTER TABLE orders RENAME COLUMN note TO text');
  const locked = await planUpgrade(old.url, directory);
  expect(locked).toMatchObject({ isOnline: false, breaks: ['note has the new name text'] });
  expect(linesOf(locked).join('\n')).toMatch(
    /CREATE INDEX orders_note ON orders \(note\): SHARE on orders \(\d+\.\d MB\), index in about \d+ s \[LOCKED\]/,
  );
  expect(linesOf(locked).join('\n')).toMatch(
    /Stop web and worker: orders is locked for \d+ s\.\nStop web and worker of the former version: note has the new name text\./,
  );
  expect(await columns()).toEqual(['id', 'note']);

  await migrate(old.url, directory);
  expect(linesOf(await planUpgrade(old.url, directory))).toEqual(['The database has every migration of this version.']);
});

test('a migration that was edited after it was applied is refused by a plan too', async () => {
  fs.appendFileSync(path.join(directory, '1_first', 'migration.sql'), '\n-- edited');
  await expect(planUpgrade(old.url, directory)).rejects.toThrow('migration 1_first was edited after it was applied');
});

test.each([
  ['CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS orders_note ON orders (note)', 'orders_note'],
  ['CREATE UNIQUE INDEX CONCURRENTLY Orders_Note ON orders (note)', 'orders_note'],
  ['CREATE UNIQUE INDEX CONCURRENTLY "Orders note" ON orders (note)', 'Orders note'],
])('a build that failed is repeated: %s', async (sql, index) => {
  await old.client.query(`INSERT INTO orders VALUES (1, 'same'), (2, 'same')`);
  write('2_index', sql);
  await expect(migrate(old.url, directory)).rejects.toThrow(/could not create unique index/);
  await old.client.query('DELETE FROM orders WHERE id = 2');
  expect(await migrate(old.url, directory)).toEqual(['2_index']);
  const { rows } = await old.client.query(
    'SELECT c.relname AS name, indisvalid FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE c.relname = $1',
    [index],
  );
  expect(rows).toEqual([{ name: index, indisvalid: true }]);
});

test('a migration waits for another one and says so once', async () => {
  write('2_second', 'CREATE TABLE lines (id int)');
  await other.query('SELECT pg_advisory_lock(72707369)');
  const printed: string[] = [];
  let pauses = 0;
  const pause = async () => {
    if (++pauses === 2) await other.query('SELECT pg_advisory_unlock(72707369)');
  };
  const print = (line: string) => printed.push(line);
  expect(await migrate(old.url, directory, { pause, print })).toEqual(['2_second']);
  expect(printed).toEqual(['another migration runs on this database: this one waits until it has ended']);
});

test('a migration may take longer than the statement timeout of its role', async () => {
  const { rows } = await old.client.query<{ name: string }>('SELECT current_database() AS name');
  await old.client.query(`ALTER DATABASE ${pg.escapeIdentifier(rows[0]?.name ?? '')} SET statement_timeout = '50ms'`);
  write('2_slow', 'SELECT pg_sleep(0.3)');
  expect(await migrate(old.url, directory)).toEqual(['2_slow']);
});

test('a migration goes around a pooler, and is refused where it knows no way', () => {
  const pooled = { DATABASE_URL: 'pooled', DATABASE_POOLER: 'transaction' };
  expect(() => addressOfMigration(pooled)).toThrow('set DATABASE_DIRECT_URL');
  expect(addressOfMigration({ ...pooled, DATABASE_DIRECT_URL: 'direct' })).toBe('direct');
  expect(addressOfMigration({ DATABASE_URL: 'direct', DATABASE_POOLER: 'none' })).toBe('direct');
});
