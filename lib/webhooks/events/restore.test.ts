// A merchant's cursor on a real PostgreSQL whose data directory is restored from an older copy: after a disk failure, a
// point-in-time recovery or a failover to a replica that lacks the last transactions.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { answer } from '@/lib/api/answer';
import { openServices } from '@/lib/api/services';
import { openPool } from '@/lib/platform/database/db';
import { openPrisma } from '@/lib/platform/database/prisma';
import type { TestDatabase } from '@/testing/database/database';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import { makeStore, signedRequest, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { recordEvent } from '@/testing/receivers/webhooks';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { migrate } from '@/scripts/migrate.mjs';
import { startPostgres } from '@/scripts/postgres.mjs';

const clock = new TestClock();
const config = testConfig();
/** Transactions that the copies lack: more than a restored server issues before the reader's next request. */
const LOST = 100;
const scratch = useTemporaryDirectory();
const at = (name: string): string => path.join(scratch, name);

let store: TestStore;
/** The reader's position when the server was lost. */
let cursor: string;

type Running = TestDatabase & { stop: () => Promise<void> };

async function start(directory: string, settings: string[] = []): Promise<Running> {
  const server = await startPostgres({ directory, settings });
  await migrate(server.url);
  const pool = openPool(server.url, 5);
  const prisma = await openPrisma(pool);
  const stop = async () => {
    await prisma.$disconnect();
    await pool.end();
    await server.stop();
  };
  return { url: server.url, pool, prisma, close: stop, stop };
}

const record = (db: TestDatabase) => recordEvent(testContext(db, clock, config), { ...store, environment: 'test' });

async function follow(db: TestDatabase, from: string): Promise<{ sessions: string[]; cursor: string }> {
  await untilTransactionsEnd(db);
  const request = signedRequest(store, { method: 'GET', path: '/api/v1/events', now: clock.now() });
  const response = await answer(openServices(testContext(db, clock, config)), {
    ...request,
    query: `order=asc&limit=100${from && `&cursor=${from}`}`,
  });
  const page = JSON.parse(response.body);
  return {
    sessions: page.data.map((event: { data: { object: { session_id: string } } }) => event.data.object.session_id),
    cursor: page.resume_cursor,
  };
}

beforeAll(async () => {
  fs.chmodSync(scratch, 0o755);
  let server = await start(at('first'));
  store = await makeStore(server, config);
  await record(server);
  await server.stop();
  for (const copy of ['copied', 'recovered']) spawnSync('cp', ['-a', at('first'), at(copy)]);
  server = await start(at('first'));
  for (let n = 0; n < LOST; n++) await server.pool.query('SELECT pg_current_xact_id()');
  await record(server);
  cursor = (await follow(server, '')).cursor;
  await server.stop();
}, 120_000);

test('shows every new event to a cursor from before the files were put back from a copy', async () => {
  const restored = await start(at('copied'));
  try {
    const written = [await record(restored), await record(restored)];
    const received = await follow(restored, cursor);
    expect(received.sessions).toEqual(written);
    expect((await follow(restored, received.cursor)).sessions).toEqual([]);
  } finally {
    await restored.stop();
  }
}, 60_000);

test('shows every new event to a cursor from before a promotion to a new timeline', async () => {
  spawnSync('cp', ['-a', at('recovered/postgresql.auto.conf'), at('recovered/recovery.signal')]);
  const promoted = await start(at('recovered'), ['restore_command=false', 'recovery_target_action=promote']);
  try {
    const { rows } = await promoted.pool.query('SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline');
    expect(rows).toEqual([{ timeline: '00000002' }]);
    const written = [await record(promoted), await record(promoted)];
    expect((await follow(promoted, cursor)).sessions).toEqual(written);
  } finally {
    await promoted.stop();
  }
}, 60_000);
