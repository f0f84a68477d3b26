// The embedded PostgreSQL requires passwords once the owner has one, also on older data.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres } from './postgres.mjs';

let parent = '';
beforeAll(() => {
  parent = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-passwords-'));
  fs.chmodSync(parent, 0o755);
});
afterAll(() => fs.rmSync(parent, { recursive: true, force: true }));

async function nameAt(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT current_user AS name').finally(() => client.end());
  return rows[0]?.name ?? '';
}

test('data of a version without passwords gets the owner’s password, and the new one after a change', async () => {
  const directory = path.join(parent, 'postgres');
  const former = await startPostgres({ directory });
  expect(await nameAt(former.url)).toBe('app');
  await former.stop();
  for (const password of ['first-password', 'second-password']) {
    const server = await startPostgres({ directory, password });
    try {
      expect(await nameAt(server.url)).toBe('app');
      const url = new URL(server.url);
      for (const wrong of ['', 'another-password']) {
        url.password = wrong;
        await expect(nameAt(url.href)).rejects.toThrow(/password/);
      }
    } finally {
      await server.stop();
    }
  }
});
