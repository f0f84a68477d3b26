// A database for migration tests: migrated to the state before one migration, with a connected client.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from './migrate.mjs';

export const MIGRATIONS = path.join(import.meta.dirname, '../prisma/migrations');

export type OldInstallation = { readonly url: string; readonly client: pg.Client; close(): Promise<void> };

/** Applies the migrations that `isApplied` accepts; `server` is the URL of any database of the server. */
export async function openOldInstallation(
  server: string,
  isApplied: (migration: string) => boolean,
): Promise<OldInstallation> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  const client = new pg.Client({ connectionString: url.href });
  try {
    await migrateOnly(url.href, isApplied);
    await client.connect();
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    url: url.href,
    client,
    async close() {
      await client.end();
      await drop();
    },
  };
}

async function migrateOnly(url: string, isApplied: (migration: string) => boolean): Promise<void> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-migrations-'));
  try {
    for (const one of fs.readdirSync(MIGRATIONS).filter(isApplied))
      fs.cpSync(path.join(MIGRATIONS, one), path.join(directory, one), { recursive: true });
    await migrate(url, directory);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
