// What a migration does to a running service is read from its statements, and those of new migrations leave it running.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { effectsOf } from './effects.mjs';
import { stepsOf } from './plan.mjs';

const MIGRATIONS = path.join(import.meta.dirname, '../../prisma/migrations');
/** The last migration of version 0.1.0. Those until then were applied to stopped processes. */
const LAST_WITH_A_STOP = '20261130999999';
/** Tables that do not grow with payments. Every other one is taken to be large. */
const SMALL = new Set([
  ...['users', 'operator_resets', 'passkeys', 'recovery_codes', 'members', 'freeze_requests', 'signer_states'],
  ...['restore_proofs', 'step_failures', 'worker_processes', 'step_turns', 'alarms', 'quarantine', 'stores'],
  ...['store_branding', 'api_keys', 'chains', 'sweep_states', 'payment_pauses', 'own_wallets', 'endpoints'],
  ...['network_fees', 'payout_rates', 'payout_schedules', 'exchange_wallet_lists', 'screening_hooks', 'signer_marks'],
  ...['rate_sources', 'webhook_endpoints', 'webhook_pauses', 'approval_needs'],
]);
const bytesOf = (table: string) => (SMALL.has(table) ? 0 : 1e12);

/**
 * The tables that a file locks one after the other. Statements of the service that use them in another order wait for the file while the file
 * waits for them, and PostgreSQL ends one of both.
 */
async function lockedInTurn(sql: string): Promise<string[]> {
  const held = (await effectsOf(sql)).filter(({ lock }) => lock?.includes('EXCLUSIVE') && !lock.startsWith('ROW '));
  const tables = [...new Set(held.flatMap(({ table }) => table ?? []))];
  return tables.length > 1 && new Set(held.map(({ text }) => text)).size > 1 ? tables : [];
}

const summary = async (sql: string) =>
  (await effectsOf(sql)).map(({ table, lock, work, isOnline, breaks }) =>
    [table, lock, work, isOnline ? 'online' : 'locked', ...(breaks ? [breaks] : [])].join(' | '),
  );

test.each([
  ['CREATE INDEX i ON t (a)', 't | SHARE | index | locked'],
  ['CREATE INDEX CONCURRENTLY i ON t (a)', 't | SHARE UPDATE EXCLUSIVE | index | online'],
  ['ALTER TABLE t ADD COLUMN a text', 't | ACCESS EXCLUSIVE | none | online'],
  ['ALTER TABLE t ADD COLUMN a int NOT NULL DEFAULT 0', 't | ACCESS EXCLUSIVE | none | online'],
  [
    "ALTER TABLE t ADD COLUMN a timestamptz DEFAULT now(), ADD b text[] DEFAULT '{}'::text[]",
    't | ACCESS EXCLUSIVE | none | online',
  ],
  ['ALTER TABLE t ADD COLUMN a uuid DEFAULT gen_random_uuid()', 't | ACCESS EXCLUSIVE | rewrite | locked'],
  ['ALTER TABLE t ADD COLUMN a int GENERATED ALWAYS AS (b + 1) STORED', 't | ACCESS EXCLUSIVE | rewrite | locked'],
  [
    'ALTER TABLE t ADD COLUMN a int NOT NULL',
    't | ACCESS EXCLUSIVE | none | online | the new column a must have a value',
  ],
  ['ALTER TABLE t ALTER COLUMN a TYPE text', 't | ACCESS EXCLUSIVE | rewrite | locked | a has another type'],
  ['ALTER TABLE t ALTER COLUMN a SET NOT NULL', 't | ACCESS EXCLUSIVE | scan | locked | a must have a value'],
  ['ALTER TABLE t DROP COLUMN a', 't | ACCESS EXCLUSIVE | none | online | the column a is gone'],
  ['ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)', 't | ACCESS EXCLUSIVE | scan | locked'],
  ['ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID', 't | ACCESS EXCLUSIVE | none | online'],
  ['ALTER TABLE t VALIDATE CONSTRAINT c', 't | SHARE UPDATE EXCLUSIVE | scan | online'],
  ['ALTER TABLE t ADD CONSTRAINT c UNIQUE (a)', 't | ACCESS EXCLUSIVE | index | locked'],
  ['ALTER TABLE t ADD CONSTRAINT c UNIQUE USING INDEX i', 't | ACCESS EXCLUSIVE | none | online'],
  [
    'ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES u (a) NOT VALID',
    ['t | SHARE ROW EXCLUSIVE | none | online', 'u | SHARE ROW EXCLUSIVE | none | online'],
  ],
  ['ALTER TABLE t RENAME COLUMN a TO b', 't | ACCESS EXCLUSIVE | none | online | a has the new name b'],
  ['ALTER TYPE e RENAME TO f', ' |  | none | online'],
  ['ALTER INDEX i RENAME TO j', 'i | SHARE UPDATE EXCLUSIVE | none | online'],
  ['DROP TABLE t', 't | ACCESS EXCLUSIVE | none | online | the table t is gone'],
  ['DROP INDEX i', ' | ACCESS EXCLUSIVE | code | locked | the index i is gone'],
  [
    'DROP INDEX i, s.j',
    [
      ' | ACCESS EXCLUSIVE | code | locked | the index i is gone',
      ' | ACCESS EXCLUSIVE | code | locked | the index j is gone',
    ],
  ],
  ['DROP INDEX CONCURRENTLY i', ' | SHARE UPDATE EXCLUSIVE | none | online | the index i is gone'],
  ['CREATE TABLE t (a int); CREATE INDEX i ON t (a); DROP INDEX i', null],
  ['UPDATE t SET a = 1', 't | ROW EXCLUSIVE | rows | locked'],
  ['TRUNCATE t', 't | ACCESS EXCLUSIVE | code | locked | the rows of t are gone'],
  ['REINDEX TABLE t', ' | ACCESS EXCLUSIVE | code | locked'],
  ['CLUSTER t', ' | ACCESS EXCLUSIVE | code | locked'],
  ['REFRESH MATERIALIZED VIEW t', ' | ACCESS EXCLUSIVE | code | locked'],
  ['MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE', ' | ACCESS EXCLUSIVE | code | locked'],
  ['SELECT f(a) FROM t', ' |  | code | locked'],
  ['CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$', ' |  | none | online'],
  ['DROP FUNCTION f', ' |  | none | online'],
  ['DROP TRIGGER g ON t', 't | ACCESS EXCLUSIVE | none | online'],
  ['ALTER TABLE t SET UNLOGGED', 't | ACCESS EXCLUSIVE | rewrite | locked'],
  ['ALTER TABLE t ATTACH PARTITION u DEFAULT', 't | ACCESS EXCLUSIVE | code | locked'],
  ['ALTER TABLE t DROP CONSTRAINT c, ALTER a DROP NOT NULL', 't | ACCESS EXCLUSIVE | none | online'],
  [
    'ALTER TABLE t VALIDATE CONSTRAINT c, ADD b int',
    ['t | ACCESS EXCLUSIVE | scan | locked', 't | ACCESS EXCLUSIVE | none | online'],
  ],
  ['INSERT INTO t VALUES (1)', 't | ROW EXCLUSIVE | none | online'],
  ['INSERT INTO t SELECT a FROM u', ['t | ROW EXCLUSIVE | rows | locked', 'u | ACCESS SHARE | rows | locked']],
  ['CREATE TABLE t AS SELECT a FROM u', [' |  | none | online', 'u | ACCESS SHARE | rows | online']],
  ['CREATE TABLE t (a int REFERENCES u)', [' |  | none | online', 'u | SHARE ROW EXCLUSIVE | none | online']],
  [
    'CREATE TABLE IF NOT EXISTS t (a int); CREATE INDEX i ON t (a)',
    ['t |  | none | online', 't | SHARE | index | locked'],
  ],
  ["DO $$ BEGIN EXECUTE 'x'; END $$", ' |  | code | locked'],
  ['CREATE TABLE t (a int); CREATE INDEX i ON t (a); UPDATE t SET a = 1', null],
])('%s', async (sql, expected) => {
  const found = new Set(await summary(sql));
  if (expected === null) for (const one of found) expect(one).toMatch(/none \| online$/);
  else expect([...found]).toEqual([expected].flat());
});

test.each([
  ['ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID; ALTER TABLE t VALIDATE CONSTRAINT c', true],
  ['ALTER TABLE t VALIDATE CONSTRAINT c; ALTER TABLE t ADD b int', false],
  ['ALTER TABLE t ADD b int; ALTER TABLE u VALIDATE CONSTRAINT c', true],
  ['CREATE TABLE t (a int); ALTER TABLE t ADD b int; ALTER TABLE u VALIDATE CONSTRAINT c', false],
  ['CREATE TABLE t (a int REFERENCES v); ALTER TABLE u VALIDATE CONSTRAINT c', true],
  ['ALTER TABLE t ADD b int; INSERT INTO u VALUES (1)', false],
  ['DROP INDEX i', true],
  ['DROP INDEX CONCURRENTLY i', false],
])('a lock is held until the end of the file: %s', async (sql, isFelt) => {
  const { steps } = stepsOf(await effectsOf(sql), () => 1e12);
  expect(steps.some((step) => step.isFelt)).toBe(isFelt);
});

test('the times of all statements under a lock add up', async () => {
  const sql = 'ALTER TABLE t ADD b int; ALTER TABLE u VALIDATE CONSTRAINT c; ALTER TABLE v VALIDATE CONSTRAINT c';
  const { steps, locked } = stepsOf(await effectsOf(sql), () => 150e6);
  expect(steps.map(({ isFelt }) => isFelt)).toEqual([false, false, true]);
  expect(locked).toEqual({ tables: ['t'], seconds: 3 });
});

test.each([
  ['ALTER TABLE t ADD b int; ALTER TABLE u ADD b int', ['t', 'u']],
  ['ALTER TABLE t ADD b int; CREATE TABLE v (a int REFERENCES u)', ['t', 'u']],
  ['ALTER TABLE t ADD b int; ALTER TABLE t ADD c int; INSERT INTO u VALUES (1)', []],
  ['CREATE TABLE t (a int); ALTER TABLE t ADD b int; ALTER TABLE u ADD b int', []],
  ['ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES u (a) NOT VALID', []],
])('a file locks tables in turn: %s', async (sql, tables) => {
  expect(await lockedInTurn(sql)).toEqual(tables);
});

test('every table that is taken to be small exists', () => {
  const schema = fs.readFileSync(path.join(MIGRATIONS, '../schema.prisma'), 'utf8');
  const tables = new Set([...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name));
  expect([...SMALL].filter((name) => !tables.has(name))).toEqual([]);
});

describe('a migration after version 0.1.0', () => {
  const names = fs
    .readdirSync(MIGRATIONS)
    .filter((name) => name > LAST_WITH_A_STOP && fs.existsSync(path.join(MIGRATIONS, name, 'migration.sql')));
  // The test of all of them, so that it does not vanish while there is none.
  test('neither locks a table that grows with payments for long nor breaks the former version, unless its name ends with _contract', async () => {
    const faults = [];
    for (const name of names) {
      const sql = fs.readFileSync(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8');
      for (const { text, isFelt, breaks } of stepsOf(await effectsOf(sql), bytesOf).steps) {
        if (isFelt) faults.push(`${name} locks: ${text}`);
        if (breaks !== null && !name.endsWith('_contract')) faults.push(`${name}: ${breaks}`);
      }
    }
    expect(faults).toEqual([]);
  });

  test('locks no two existing tables one after the other, because a statement of the service may hold the second and want the first', async () => {
    const faults = [];
    for (const name of names) {
      const tables = await lockedInTurn(fs.readFileSync(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8'));
      if (tables.length > 0) faults.push(`${name} locks ${tables.join(' and ')}: give each a file`);
    }
    expect(faults).toEqual([]);
  });

  test('that builds or drops an index concurrently contains nothing else, because no transaction may contain it', async () => {
    const crowded = [];
    for (const name of names) {
      const sql = fs.readFileSync(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8');
      if (/CONCURRENTLY/i.test(sql) && (await effectsOf(sql)).length !== 1) crowded.push(name);
    }
    expect(crowded).toEqual([]);
  });
});
