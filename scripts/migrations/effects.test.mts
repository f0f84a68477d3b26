// What a migration does to a running service is read from its statements, and those of new migrations leave it running.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { effectsOf } from './effects.mjs';

const MIGRATIONS = path.join(import.meta.dirname, '../../prisma/migrations');
/** The last migration of version 0.1.0. Those until then were applied to stopped processes. */
const LAST_WITH_A_STOP = '20261130999999';
/** Tables that grow with payments; all others are small for ever. */
const LARGE = new Set([
  ...['sessions', 'transfers', 'unconfirmed_transfers', 'outgoing_transfers', 'ledger_entries', 'ledger_postings'],
  ...['events', 'deliveries', 'delivery_attempts', 'refunds', 'refund_attempts', 'payouts', 'sweeps', 'nonces'],
  ...['idempotency_keys', 'address_pool', 'audit_log', 'mails'],
]);

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
    't | SHARE ROW EXCLUSIVE | none | online',
  ],
  ['ALTER TABLE t RENAME COLUMN a TO b', 't | ACCESS EXCLUSIVE | none | online | a has the new name b'],
  ['DROP TABLE t', 't | ACCESS EXCLUSIVE | none | online | the table t is gone'],
  ['UPDATE t SET a = 1', 't | ROW EXCLUSIVE | rows | locked'],
  ["DO $$ BEGIN EXECUTE 'x'; END $$", ' |  | code | locked'],
  ['CREATE TABLE t (a int); CREATE INDEX i ON t (a); UPDATE t SET a = 1', null],
])('%s', async (sql, expected) => {
  const found = new Set(await summary(sql));
  if (expected === null) for (const one of found) expect(one).toMatch(/none \| online$/);
  else expect([...found]).toEqual([expected]);
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
      for (const { text, table, isOnline, breaks, work } of await effectsOf(sql)) {
        if (!isOnline && (work === 'code' || LARGE.has(table ?? ''))) faults.push(`${name} locks: ${text}`);
        if (breaks !== null && !name.endsWith('_contract')) faults.push(`${name}: ${breaks}`);
      }
    }
    expect(faults).toEqual([]);
  });

  test('that builds an index concurrently contains nothing else, because no transaction may contain it', async () => {
    const crowded = [];
    for (const name of names) {
      const sql = fs.readFileSync(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8');
      if (/CONCURRENTLY/i.test(sql) && (await effectsOf(sql)).length !== 1) crowded.push(name);
    }
    expect(crowded).toEqual([]);
  });
});
