// A worker process that receives a stop signal while it calls a merchant: the call ends normally (O-05).

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { eventually, openReceiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';

const root = path.resolve(import.meta.dirname, '../..');
const masterKeys = `1:${randomBytes(32).toString('base64')}`;

let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());

/** The process, once it reports that it is ready. */
async function startWorker() {
  const child = spawn(process.execPath, ['--import', 'tsx', 'lib/worker/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      MASTER_KEYS: masterKeys,
      EVIDENCE_KEY: randomBytes(32).toString('base64'),
      TEST_CHAINS: 'local',
      RATE_SOURCES: 'off',
      WEBHOOKS_TO_LOOPBACK: 'on',
      LOG_LEVEL: 'silent',
      // No process listens there: the steps that call the signer fail and block nothing.
      SIGNER_SOCKET: path.join(root, 'no-signer.sock'),
    },
  });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  const lines = createInterface({ input: child.stdout });
  await Promise.race([once(lines, 'line'), ended.then(() => Promise.reject(new Error('the worker did not start')))]);
  return { child, ended };
}

test('O-05: a worker that receives a stop signal finishes its work, leaves no lease, and exits with 0', async () => {
  let answer: ServerResponse | undefined;
  const receiver = await openReceiver(() => (response) => void (answer = response));
  const context = testContext(database, systemClock, testConfig({ MASTER_KEYS: masterKeys }));
  const endpoint = await makeEndpoint(database, context, receiver.url);
  await recordEvent(context, endpoint);
  const { child, ended } = await startWorker();
  try {
    const called = await eventually(() => answer, 20_000);
    child.kill('SIGTERM');
    called.writeHead(200).end();
    expect(await ended).toEqual([0, null]);
    const { rows } = await database.pool.query(
      `SELECT status::text, attempts, (SELECT count(*)::int FROM chains WHERE lease_until IS NOT NULL) AS leases FROM deliveries`,
    );
    expect(rows).toEqual([{ status: 'delivered', attempts: 1, leases: 0 }]);
    expect(receiver.received).toHaveLength(1);
  } finally {
    child.kill('SIGKILL');
    await receiver.close();
  }
});
