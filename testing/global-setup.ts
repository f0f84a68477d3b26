// Runs once: starts a real PostgreSQL (the embedded one, or the server in TEST_DATABASE_URL) and creates a migrated
// template database. Every test file clones its own from it (see database.ts).

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '@/scripts/migrate.mjs';
import { startPostgres } from '@/scripts/postgres.mjs';
import { startRecording } from './row-types/catalog';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServer: string;
    templateDatabase: string;
    /** Where this run records the rows of SQL statements, or null (row-types/record.ts). */
    rowTypes: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = process.env.TEST_DATABASE_URL
    ? { url: process.env.TEST_DATABASE_URL, stop: async () => {} }
    : await startOwn();
  const template = `template_${process.pid}_${Date.now()}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`CREATE DATABASE ${template}`);
  await migrate(databaseUrl(url, template));
  project.provide('rowTypes', await startRecording(databaseUrl(url, template), process.env.ROW_TYPES_DIR));
  project.provide('databaseServer', url);
  project.provide('templateDatabase', template);
  return async () => {
    await server.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    await server.end();
    await stop();
  };
}

async function startOwn(): Promise<{ url: string; stop: () => Promise<void> }> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-test-'));
  fs.chmodSync(directory, 0o755);
  const started = await startPostgres({
    directory: path.join(directory, 'postgres'),
    // Test databases are temporary, so nothing needs to reach the disk; all other settings are the product's.
    settings: ['fsync=off', 'full_page_writes=off', 'wal_compression=off', 'max_connections=300'],
  });
  return {
    url: started.url,
    stop: async () => {
      await started.stop();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
