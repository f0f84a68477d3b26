// The faults that the sandbox's page causes in the installation: services stop and start again, and the database refuses writes.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { startPostgres } from '../postgres.mjs';
import { Incidents, setReadOnly } from './incidents.mjs';
import type { Service } from './service.mjs';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

function scene(databaseUrl: string | null = null, settings: Record<string, string> = {}) {
  const calls: string[] = [];
  const service = (name: string) =>
    ({
      stop: async () => void calls.push(`stop ${name}`),
      start: async () => void calls.push(`start ${name}`),
    }) as unknown as Service;
  const services: Record<string, Service> = { signer: service('signer'), worker: service('worker') };
  return {
    calls,
    incidents: new Incidents({ serviceOf: (name) => services[name], databaseUrl, readAll: () => settings }),
  };
}

test('a service is stopped once and started once, however often it is asked for', async () => {
  const { calls, incidents } = scene();
  const worker = (is_on: boolean) => incidents.set({ fault: 'worker_stopped', is_on });
  await worker(false);
  await Promise.all([worker(true), worker(true)]);
  await Promise.all([worker(false), worker(false)]);
  expect(calls).toEqual(['stop worker', 'start worker']);
});

test('without deposit addresses no process makes new ones until the fault ends, and the signer starts after the last fault that stops it', async () => {
  await db.pool.query(
    `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address) VALUES ('test', 1, '0x1', 'T1', 'S1')`,
  );
  const { calls, incidents } = scene(db.url);
  await incidents.set({ fault: 'pool_empty', is_on: true });
  expect((await db.pool.query('SELECT FROM address_pool')).rowCount).toBe(0);
  await incidents.set({ fault: 'signer_stopped', is_on: true });
  await incidents.set({ fault: 'pool_empty', is_on: false });
  expect(calls).not.toContain('start signer');
  await incidents.set({ fault: 'signer_stopped', is_on: false });
  expect(calls.at(-1)).toBe('start signer');
});

test('where the deposit addresses cannot be discarded, the signer starts again and the fault is not on', async () => {
  const { calls, incidents } = scene('postgresql://127.0.0.1:1/app');
  const pool = (is_on: boolean) => incidents.set({ fault: 'pool_empty', is_on });
  await expect(pool(true)).rejects.toThrow('ECONNREFUSED');
  await pool(false);
  expect(calls).toEqual(['stop signer', 'start signer']);
});

test('a read-only database refuses writes on open connections too, until the fault ends or the next start ends it', async () => {
  // A server of its own: the setting is the whole server's.
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-incidents-'));
  fs.chmodSync(directory, 0o755);
  const server = await startPostgres({ directory: path.join(directory, 'postgres') });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query('CREATE TABLE written (id int)');
    const write = () => client.query('INSERT INTO written VALUES (1)');
    const { incidents } = scene(server.url);
    const readOnly = (is_on: boolean) => incidents.set({ fault: 'database_read_only', is_on });
    await readOnly(true);
    await expect.poll(() => write().catch(({ code }) => code)).toBe('25006');
    await readOnly(false);
    await expect.poll(() => write().then(() => 'written', String)).toBe('written');
    await readOnly(true);
    await expect.poll(() => write().catch(({ code }) => code)).toBe('25006');
    await setReadOnly(server.url, false);
    await expect.poll(() => write().then(() => 'written', String)).toBe('written');
  } finally {
    await client.end();
    await server.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  }
});

test('an unknown fault, a service that does not run, and a database of others are refused', async () => {
  const { calls, incidents } = scene();
  const begin = (fault: string) => incidents.set({ fault, is_on: true });
  await expect(begin('fire')).rejects.toThrow('There is no fire here.');
  await expect(begin('constructor')).rejects.toThrow('There is no constructor here.');
  await expect(begin('pool_empty')).rejects.toThrow('DATABASE_URL');
  await expect(begin('database_read_only')).rejects.toThrow('DATABASE_URL');
  await expect(
    new Incidents({ serviceOf: () => undefined, databaseUrl: null, readAll: () => ({}) }).set({
      fault: 'signer_stopped',
      is_on: true,
    }),
  ).rejects.toThrow('There is no signer here.');
  expect(calls).toEqual([]);
});

test('an installation with a live network is never broken, and what was broken before is ended', async () => {
  const settings: Record<string, string> = { LIVE_BSC_URLS: '' };
  const { calls, incidents } = scene(null, settings);
  const stop = (is_on: boolean) => incidents.set({ fault: 'signer_stopped', is_on });
  await stop(true);
  settings.LIVE_BSC_URLS = 'https://node.example';
  await stop(false);
  await expect(stop(true)).rejects.toThrow('live networks');
  await expect(incidents.set({ fault: 'robbed', is_on: true })).rejects.toThrow('live networks');
  expect(calls).toEqual(['stop signer', 'start signer']);
});

test('a failed end leaves the fault on, so that it can be ended again', async () => {
  let isBroken = true;
  const service = {
    stop: async () => {},
    start: async () => {
      if (isBroken) throw new Error('the signer did not start');
    },
  } as unknown as Service;
  const incidents = new Incidents({ serviceOf: () => service, databaseUrl: null, readAll: () => ({}) });
  await incidents.set({ fault: 'signer_stopped', is_on: true });
  await expect(incidents.endAll()).rejects.toThrow('did not start');
  isBroken = false;
  await incidents.endAll();
});
