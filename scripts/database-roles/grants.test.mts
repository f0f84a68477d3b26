// The rights list is complete and narrow: it has every table, and it grants every write that a program can make and
// nothing else.

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { applyRoles, roleName, urlOfRole, type Kind } from './apply.mjs';
import { ALL, WEB, WORKER, type Grant } from './grants.mjs';
import { writesOf } from './statements.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
/** The code of the web process. `/api/cron` runs the worker's steps, with the worker's role. */
const WEB_SOURCES = ['server.ts', 'server-pages.ts', 'proxy.ts', ...pages()];
const CRON = /lib\/worker\/run-once$/;
/** Constants that stay in a bundle although the program does not use them. */
const UNUSED: Readonly<Record<'web' | 'worker', readonly string[]>> = {
  web: ['lib/refunds/sending/lease.ts', 'lib/platform/database/quarantine.ts'],
  worker: [
    'lib/merchants/api-keys/nonces.ts',
    'lib/merchants/accounts/sign-in/throttle.ts',
    'lib/merchants/accounts/sign-in/logins.ts',
  ],
};

let db: TestDatabase;
let database: string;
const clients: Partial<Record<Kind, pg.Client>> = {};

beforeAll(async () => {
  db = await openTestDatabase();
  database = new URL(db.url).pathname.slice(1);
  const passwords = { web: 'web-password', worker: 'worker-password', read: 'read-password' };
  await applyRoles(db.url, { passwords });
  for (const kind of ['web', 'worker', 'read'] as const) {
    const client = new pg.Client({ connectionString: urlOfRole(db.url, kind, passwords[kind]) });
    await client.connect();
    clients[kind] = client;
  }
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.end();
  const roles = (['web', 'worker', 'read'] as const).map((kind) => roleName(database, kind)).join(', ');
  await db.pool.query(`DROP OWNED BY ${roles}`);
  await db.pool.query(`DROP ROLE ${roles}`);
  await db.close();
});

const as = (kind: Kind): pg.Client => clients[kind] as pg.Client;
/** The SQLSTATE of a failing statement, or null on success; its effects are rolled back. */
async function codeOf(kind: Kind, text: string): Promise<string | null> {
  await as(kind).query('BEGIN');
  try {
    await as(kind).query(text);
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? 'none';
  } finally {
    await as(kind).query('ROLLBACK');
  }
}
const REFUSED = '42501';

function pages(): string[] {
  const files = execFileSync('git', ['ls-files', 'app'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  return files.filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
}

test.each([
  ['web', WEB],
  ['worker', WORKER],
])('the list of %s has every table and nothing else', async (_, list) => {
  const { rows } = await db.pool.query<{ name: string; columns: string[] }>(
    `SELECT t.table_name AS name, array_agg(c.column_name::text) AS columns FROM information_schema.tables t
     JOIN information_schema.columns c USING (table_schema, table_name)
     WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND t.table_name <> '_prisma_migrations' GROUP BY 1 ORDER BY 1`,
  );
  expect(Object.keys(list).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  for (const { name, columns } of rows) {
    const named = Object.values(list[name] ?? {}).flatMap((one) =>
      typeof one === 'string' && one !== ALL ? one.split(' ') : [],
    );
    expect({ name, unknown: named.filter((column) => !columns.includes(column)) }).toEqual({ name, unknown: [] });
  }
});

describe('every write that a program can make is granted', () => {
  test.each([
    ['web', WEB, WEB_SOURCES, CRON],
    ['worker', WORKER, ['lib/worker/main.ts'], /^$/],
  ] as const)('%s', async (kind, list, sources, without) => {
    const writes = (await writesOf([...sources], { without })).filter(({ file }) => !UNUSED[kind].includes(file));
    expect(writes.length).toBeGreaterThan(50);
    const missing = writes.flatMap((write) => missingOf(list[write.table] ?? {}, write));
    expect(missing).toEqual([]);
  });
});

type Write = { file: string; table: string; insert: string[]; update: string[]; delete?: boolean };

function missingOf(grant: Grant, { file, table, insert, update, delete: deletes }: Write): string[] {
  const lacks = (granted: string | undefined, column: string): boolean =>
    granted !== ALL && !column.includes('$') && !(granted ?? '').split(' ').includes(column);
  const sandboxOnly = file === 'lib/api/operations/test-helper-routes.ts' ? ['created_at'] : [];
  return [
    ...insert.filter((column) => lacks(grant.insert, column)).map((column) => `INSERT ${table}.${column} (${file})`),
    ...update
      .filter((column) => lacks(grant.update, column) && !sandboxOnly.includes(column))
      .map((column) => `UPDATE ${table}.${column} (${file})`),
    ...(deletes && !grant.delete ? [`DELETE ${table} (${file})`] : []),
  ];
}

describe('the database refuses what the list does not grant', () => {
  test.each([
    ...Object.entries(WEB).map(([table, grant]) => ['web', table, grant] as const),
    ...Object.entries(WORKER).map(([table, grant]) => ['worker', table, grant] as const),
  ])('%s on %s', async (kind, table, grant) => {
    const { rows } = await db.pool.query<{ column: string }>(
      `SELECT column_name AS column FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
      [table],
    );
    const allowed = (granted: string | undefined, column: string): boolean =>
      granted === ALL || (granted ?? '').split(' ').includes(column);
    for (const { column } of rows) {
      const name = pg.escapeIdentifier(column);
      // PostgreSQL checks rights before it searches for rows.
      const update = await codeOf(kind, `UPDATE ${table} SET ${name} = ${name} WHERE false`);
      expect(update, `UPDATE ${table}.${column}`).toBe(allowed(grant.update, column) ? null : REFUSED);
      const insert = await codeOf(kind, `INSERT INTO ${table} (${name}) SELECT ${name} FROM ${table} WHERE false`);
      expect(insert, `INSERT ${table}.${column}`).toBe(allowed(grant.insert, column) ? null : REFUSED);
    }
    expect(await codeOf(kind, `DELETE FROM ${table} WHERE false`)).toBe(grant.delete ? null : REFUSED);
    expect(await codeOf(kind, `TRUNCATE ${table} CASCADE`)).toBe(REFUSED);
  });

  test.each(['web', 'worker', 'read'] as const)('%s cannot do what requires an owner or a superuser', async (kind) => {
    for (const text of [
      `COPY (SELECT 1) TO PROGRAM 'true'`,
      `COPY users FROM '/etc/passwd'`,
      `SELECT pg_read_file('/etc/passwd')`,
      'TRUNCATE audit_entries',
      'ALTER TABLE audit_entries DISABLE TRIGGER USER',
      'DROP TRIGGER audit_entries_append_only ON audit_entries',
      `SET session_replication_role = replica`,
      'CREATE TABLE public.mine (id int)',
      'CREATE ROLE mine',
      'SELECT begin_position_era(0)',
      'INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (1, 1, 1)',
    ]) {
      expect([text, await codeOf(kind, text)]).toEqual([text, REFUSED]);
    }
  });

  test('the read-only role writes nothing and sees no secret', async () => {
    expect(await codeOf('read', 'SELECT email, role FROM users')).toBeNull();
    expect(await codeOf('read', 'SELECT * FROM ledger_postings')).toBeNull();
    for (const text of [
      'SELECT password_hash FROM users',
      'SELECT secret_ciphertext FROM api_keys',
      'SELECT body FROM mails',
      'SELECT claim_ciphertext FROM refunds',
      'DELETE FROM nonces',
      'SELECT * FROM sessions FOR UPDATE',
      `SELECT lock_balances('live', 'store:x')`,
    ]) {
      expect([text, await codeOf('read', text)]).toEqual([text, REFUSED]);
    }
  });
});
