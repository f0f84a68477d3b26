#!/usr/bin/env node
// Applies prisma/migrations/*/migration.sql to the database at DATABASE_URL and records them exactly as Prisma Migrate
// does (same table, checksum and advisory lock). So `prisma migrate deploy` and this script can be mixed. Each file is
// one transaction; an index that is built or dropped CONCURRENTLY has a file to itself. Called by `npm start`, the tests
// and the image. As a program it also grants web and worker their rights, since a new table has none.

import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { readSecretFiles } from '../lib/platform/config/secret-files.mjs';
import { grantRoles } from './database-roles/command.mjs';

const MIGRATIONS = path.join(import.meta.dirname, '../prisma/migrations');
/** The key of the advisory lock that Prisma Migrate takes. */
const PRISMA_LOCK = 72707369;
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

/**
 * A statement that waits for a lock makes every later user of the table wait behind it. So it gives up soon and lets them
 * pass; the migration is tried again.
 */
const LOCK_TIMEOUT_MS = 2000;
const LOCK_TRIES = 30;
const LOCK_PAUSE_MS = 2000;
/** SQLSTATE codes of a lock that was not free in time, and of one that a statement of the service held while it waited for the migration. */
const LOCK_FAULTS = new Set(['55P03', '40P01']);

/**
 * Migrates the database and returns the names of the newly applied migrations. Throws if a lock is not free after a minute or
 * two, and names the queries that hold locks then; what was applied before stays.
 * @param {string} databaseUrl
 * @param {string} [directory]
 * @param {{ tries?: number, pause?: () => Promise<unknown>, print?: (line: string) => void }} [waiting] for locks
 */
export async function migrate(databaseUrl, directory = MIGRATIONS, waiting = {}) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // A lost connection fails the statement that waits for it.
  await client.connect();
  try {
    await client.query('SET statement_timeout = 0'); // A role of a pooled process has a short one.
    await takeTurn(client, waiting);
    await client.query(TABLE);
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const missing = await missingMigrations(client, directory);
    for (const one of missing) await applyPatiently(client, one, waiting);
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Asks again and again: a statement that waits would be a transaction for which an index that is built concurrently waits in turn. */
async function takeTurn(client, { pause = () => sleep(LOCK_PAUSE_MS), print = console.log }) {
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [PRISMA_LOCK]);
    if (rows[0].taken) return;
    if (attempt === 1) print('another migration runs on this database: this one waits until it has ended');
    await pause();
  }
}

/**
 * The migrations that the database lacks, in their order. Throws for one that failed or was edited.
 * @returns {Promise<{ name: string, file: string, sql: string, checksum: string }[]>}
 */
export async function missingMigrations(client, directory = MIGRATIONS) {
  const { rows: tables } = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`);
  const recorded = tables[0].exists
    ? await client.query(
        'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
      )
    : { rows: [] };
  const known = new Map(recorded.rows.map((row) => [row.migration_name, row]));
  const names = fs.readdirSync(directory).filter((name) => fs.existsSync(path.join(directory, name, 'migration.sql')));
  return names.toSorted().flatMap((name) => {
    const file = path.join(directory, name, 'migration.sql');
    const sql = fs.readFileSync(file, 'utf8');
    const checksum = createHash('sha256').update(sql).digest('hex');
    return isApplied(known.get(name), name, checksum) ? [] : [{ name, file, sql, checksum }];
  });
}

function isApplied(row, name, checksum) {
  if (!row) return false;
  if (!row.finished_at) throw new Error(`migration ${name} failed earlier: resolve it with Prisma Migrate first`);
  if (row.checksum !== checksum) throw new Error(`migration ${name} was edited after it was applied`);
  return true;
}

async function applyPatiently(client, migration, { tries = LOCK_TRIES, pause = () => sleep(LOCK_PAUSE_MS) }) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applierOf(migration)(client, migration);
    } catch (error) {
      const isLocked = LOCK_FAULTS.has(error.code);
      if (isLocked && attempt < tries) {
        await pause();
        continue;
      }
      const holders = isLocked ? `; these hold locks for long: ${await holdersOf(client)}` : '';
      throw new Error(`migration ${migration.name}: ${error.message}${holders}`, { cause: error });
    }
  }
}

async function applyOne(client, { name, sql, checksum }) {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await record(client, name, checksum);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Files with one statement, which no transaction may contain. A build that failed left an index that is not valid. */
const BUILT = /CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:"((?:[^"]|"")+)"|([\w$]+))/i;
const DROPPED = /DROP\s+INDEX\s+CONCURRENTLY\s/i;
/** Of an index that is gone: it was dropped before its record was written. */
const UNDEFINED_OBJECT = '42704';
const applierOf = ({ sql }) =>
  BUILT.test(withoutComments(sql)) ? buildIndex : DROPPED.test(withoutComments(sql)) ? dropIndex : applyOne;
const withoutComments = (sql) => sql.replaceAll(/^\s*--.*$/gm, '');

/** It waits for transactions, and nothing waits behind it. */
async function withoutLimit(client, sql) {
  await client.query('SET lock_timeout = 0');
  try {
    await client.query(sql);
  } finally {
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  }
}

/** An index that is valid was built before its record was written. */
async function buildIndex(client, { name, sql, checksum }) {
  const [, quoted, plain] = BUILT.exec(withoutComments(sql));
  const index = pg.escapeIdentifier(quoted?.replaceAll('""', '"') ?? plain.toLowerCase());
  const { rows } = await client.query('SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)', [index]);
  if (rows[0]?.indisvalid === false) await client.query(`DROP INDEX CONCURRENTLY ${index}`);
  if (rows[0]?.indisvalid !== true) await withoutLimit(client, sql);
  await record(client, name, checksum);
}

async function dropIndex(client, { name, sql, checksum }) {
  await withoutLimit(client, sql).catch((error) => {
    if (error.code !== UNDEFINED_OBJECT) throw error;
  });
  await record(client, name, checksum);
}

const record = (client, name, checksum) =>
  client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), 1)`,
    [randomUUID(), checksum, name],
  );

/** Transactions of this database that are open for longer than a lock is waited for, oldest first. */
async function holdersOf(client) {
  const { rows } = await client.query(
    `SELECT pid, application_name AS application, extract(epoch FROM now() - xact_start)::int AS seconds, left(query, 120) AS query
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND xact_start < now() - $1 * interval '1 millisecond' ORDER BY xact_start LIMIT 5`,
    [LOCK_TIMEOUT_MS],
  );
  const lines = rows.map((one) => `process ${one.pid} (${one.application}), ${one.seconds} s: ${one.query}`);
  return lines.length > 0 ? lines.join('; ') : 'none by now, so run it again';
}

/**
 * The address of the server itself: a pooler in transaction mode lends another session to each statement, and the lock stays behind.
 * @param {Record<string, string | undefined>} environment
 */
export function addressOfMigration({ DATABASE_URL, DATABASE_POOLER, DATABASE_DIRECT_URL }) {
  if (DATABASE_POOLER !== 'transaction') return DATABASE_URL;
  if (DATABASE_DIRECT_URL) return DATABASE_DIRECT_URL;
  throw new Error(
    'A migration cannot run through a pooler (DATABASE_POOLER=transaction): set DATABASE_DIRECT_URL to the owner’s address of the server itself (docs/operate/pooler.md).',
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  readSecretFiles(process.env);
  const address = addressOfMigration(process.env);
  const applied = await migrate(address);
  console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the database is up to date');
  await grantRoles({ ...process.env, DATABASE_URL: address }, console.log);
}
