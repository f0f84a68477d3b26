#!/usr/bin/env node
// Applies prisma/migrations/*/migration.sql to the database at DATABASE_URL and records them exactly as Prisma Migrate
// does (same table, checksum and advisory lock). So `prisma migrate deploy` and this script can be mixed. Each file is
// one transaction. Called by `npm start`, the tests and the image. As a program it also grants web and worker their
// rights, since a new table has none.

import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
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

/** Migrates the database and returns the names of the newly applied migrations. */
export async function migrate(databaseUrl, directory = MIGRATIONS) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // A lost connection fails the statement that waits for it.
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK]);
    await client.query(TABLE);
    return await applyMissing(client, directory);
  } finally {
    await client.end();
  }
}

async function applyMissing(client, directory) {
  const recorded = await client.query(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const known = new Map(recorded.rows.map((row) => [row.migration_name, row]));
  const names = fs.readdirSync(directory).filter((name) => fs.existsSync(path.join(directory, name, 'migration.sql')));
  const applied = [];
  for (const name of names.toSorted()) {
    const sql = fs.readFileSync(path.join(directory, name, 'migration.sql'));
    const checksum = createHash('sha256').update(sql).digest('hex');
    if (isApplied(known.get(name), name, checksum)) continue;
    await applyOne(client, name, sql.toString(), checksum);
    applied.push(name);
  }
  return applied;
}

function isApplied(row, name, checksum) {
  if (!row) return false;
  if (!row.finished_at) throw new Error(`migration ${name} failed earlier: resolve it with Prisma Migrate first`);
  if (row.checksum !== checksum) throw new Error(`migration ${name} was edited after it was applied`);
  return true;
}

async function applyOne(client, name, sql, checksum) {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`migration ${name}: ${error.message}`, { cause: error });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  readSecretFiles(process.env);
  const applied = await migrate(process.env.DATABASE_URL);
  console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the database is up to date');
  await grantRoles(process.env, console.log);
}
