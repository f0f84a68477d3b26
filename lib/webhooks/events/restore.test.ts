// A merchant's cursor on real PostgreSQL servers that lack the last transactions: files put back from a copy on the same timeline, a
// recovery from archived WAL to a point in time, and a standby that is promoted without having received the last second.

import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { answer } from '@/lib/api/answer';
import { openServices } from '@/lib/api/services';
import type { TestDatabase } from '@/testing/database/database';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import {
  addFile,
  backUp,
  copyFiles,
  disconnect,
  oneRow,
  startServer,
  startStandby,
  type RunningServer,
} from '@/testing/database/physical-copy';
import { makeStore, signedRequest, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { recordEvent } from '@/testing/receivers/webhooks';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const clock = new TestClock();
const config = testConfig();
/** Transactions that the copies lack: more than a restored server issues before the reader's next request. */
const LOST = 100;
const scratch = useTemporaryDirectory();
const at = (name: string): string => path.join(scratch, name);

/** An archive of the WAL, for a recovery. */
const PRIMARY = ['archive_mode=on', `archive_command=cp "%p" "${at('archive')}/%f"`, 'archive_timeout=1h'];

let store: TestStore;
/** The reader's position when the server was lost. */
let cursor: string;
let standby: RunningServer;

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
  fs.mkdirSync(at('archive'));
  fs.chmodSync(at('archive'), 0o777);
  let server = await startServer(at('first'), PRIMARY);
  store = await makeStore(server, config);
  await record(server);
  await server.stop();
  for (const copy of ['copied', 'again']) copyFiles(at('first'), at(copy));

  server = await startServer(at('first'), PRIMARY);
  await backUp(server, at('recovered'));
  standby = await startStandby(server, at('standby'));
  await record(server);
  await server.pool.query(`SELECT pg_create_restore_point('known')`);
  await disconnect(server, standby);

  for (let n = 0; n < LOST; n++) await server.pool.query('SELECT pg_current_xact_id()');
  await record(server);
  cursor = (await follow(server, '')).cursor;
  // Stopping archives all WAL: the recovery has to end before the last transactions.
  await server.stop();
}, 240_000);

/** Two new events, which a cursor must see and then not again. Returns the cursor after them. */
async function expectNew(db: TestDatabase, from: string): Promise<string> {
  const written = [await record(db), await record(db)];
  const received = await follow(db, from);
  expect(received.sessions).toEqual(written);
  expect((await follow(db, received.cursor)).sessions).toEqual([]);
  return received.cursor;
}
const timeline = async (db: TestDatabase) =>
  (await oneRow(db, 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline')).timeline;
const count = async (db: TestDatabase) => (await oneRow(db, 'SELECT count(*)::int AS events FROM events')).events;

test('every new event is shown to a cursor from before the files were put back, and put back once more', async () => {
  let from = cursor;
  for (const copy of ['copied', 'again']) {
    const restored = await startServer(at(copy));
    try {
      expect([await timeline(restored), await count(restored)]).toEqual(['00000001', 1]);
      from = await expectNew(restored, from);
    } finally {
      await restored.stop();
    }
  }
}, 120_000);

test('every new event is shown to a cursor from after the point in time of a recovery from archived WAL', async () => {
  addFile(at('recovered'), 'recovery.signal');
  const recovered = await startServer(at('recovered'), [
    `restore_command=cp "${at('archive')}/%f" "%p"`,
    'recovery_target_name=known',
    'recovery_target_action=promote',
  ]);
  try {
    expect([await timeline(recovered), await count(recovered)]).toEqual(['00000002', 2]);
    await expectNew(recovered, cursor);
  } finally {
    await recovered.stop();
  }
}, 120_000);

test('every new event is shown to a cursor from the last second, which the promoted standby never received', async () => {
  // In recovery no position can be given, so no reader gets one that ends too early.
  await expect(follow(standby, cursor)).rejects.toThrow();
  try {
    await standby.pool.query('SELECT pg_promote(true, 60)');
    expect([await timeline(standby), await count(standby)]).toEqual(['00000002', 2]);
    await expectNew(standby, cursor);
  } finally {
    await standby.stop();
  }
}, 120_000);
