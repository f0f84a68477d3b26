// Worker processes with different steps, and a signer behind mutual TLS as on a machine of its own: together they run every step, only those
// that need the signer reach it, and a process with unusable settings does not start.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWorkerSteps } from '@/lib/installation/status/worker-steps';
import { freePort } from '@/scripts/free-port.mjs';
import { makeCertificates } from '@/scripts/signer-certificates.mjs';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { eventually } from '@/testing/receivers/receiver';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const root = path.resolve(import.meta.dirname, '../../..');
const directory = useTemporaryDirectory();
const children: ChildProcess[] = [];
const key = () => randomBytes(32).toString('base64');
const EVIDENCE_KEY = key();
const HOST = '127.0.0.1';
/** Processes start slowly while other tests run. */
const PATIENCE = 90_000;
let db: TestDatabase;
let common: Record<string, string | undefined>;
let port: number;

beforeAll(async () => {
  db = await openTestDatabase();
  port = await freePort();
  makeCertificates(path.join(directory, 'tls'), HOST);
  common = { PATH: process.env.PATH, NODE_ENV: 'test', LOG_LEVEL: 'silent' };
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await db.close();
});

type Ended = { readonly code: number | null; readonly errors: string };

/** Resolves when the process is ready (null), or with how it ended. */
function start(file: string, environment: Record<string, string>, words: string[] = []): Promise<Ended | null> {
  const env = { ...common, ...environment } as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...words], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve({ code, errors }));
    createInterface({ input: child.stdout }).on('line', (line) => line === '{"ready":true}' && resolve(null));
  });
}
const worker = (WORKER_STEPS: string, more: Record<string, string> = {}) =>
  start('lib/worker/main.ts', {
    ...{ DATABASE_URL: db.url, MASTER_KEYS: `1:${key()}`, TEST_CHAINS: 'local', RATE_SOURCES: 'off' },
    ...{ TEST_BSC_URLS: 'http://127.0.0.1:1', WORKER_STEPS, ADDRESS_POOL_SIZE: '20' },
    ...more,
  });
const signerAt = (end: 'signer' | 'worker') => `tls://${HOST}:${port}?certificates=${path.join(directory, 'tls', end)}`;

test('three processes run every step, and the one that pays uses the signer over mutual TLS', async () => {
  const settings = {
    ...{
      KEYSTORE_FILE: path.join(directory, 'keystore.json'),
      KEYSTORE_PASSPHRASE: 'a passphrase that is hard to guess',
    },
    ...{ SIGNER_SOCKET: signerAt('signer'), EVIDENCE_KEY, SIGNER_NETWORKS: 'bsc@local' },
  };
  expect(await start('lib/signer/main.ts', settings, ['init'])).toMatchObject({ code: 0 });
  expect(await start('lib/signer/main.ts', settings)).toBeNull();
  const paying = { EVIDENCE_KEY, SIGNER_SOCKET: signerAt('worker') };
  expect(await worker('pay guard', paying)).toBeNull();
  const steps = () => readWorkerSteps(db.pool);
  const alone = await eventually(async () => ((await steps()).processes === 1 ? steps() : null), PATIENCE);
  expect(alone.missing).toEqual(expect.arrayContaining(['deliver webhooks', 'watch test bsc', 'send mails']));
  // Neither has a way to the signer, and the second has no key at all.
  expect(await Promise.all([worker('watch', { EVIDENCE_KEY }), worker('deliver maintain')])).toEqual([null, null]);
  const all = await eventually(async () => ((await steps()).processes === 3 ? steps() : null), PATIENCE);
  expect(all.missing).toEqual([]);
  const pool = await eventually(async () => {
    const { rows } = await db.pool.query<{ addresses: number; frozen: boolean | null }>(
      `SELECT (SELECT count(*) FROM address_pool)::int AS addresses, (SELECT is_frozen FROM signer_states WHERE read_at IS NOT NULL) AS frozen`,
    );
    return rows[0] && rows[0].addresses >= 20 && rows[0].frozen !== null ? rows[0] : null;
  }, PATIENCE);
  expect(pool.frozen).toBe(false);
});

test.each([
  [
    'an entry that names no step',
    'watch mintain',
    { EVIDENCE_KEY },
    /^WORKER_STEPS: "mintain" names no step of these settings/,
  ],
  ['payments to find and no key', 'watch', {}, /^EVIDENCE_KEY is not set/],
  ['addresses to give and no signer', 'pay', { EVIDENCE_KEY }, /SIGNER_SOCKET/],
  ['wallets to guard and no signer to freeze', 'guard', { EVIDENCE_KEY }, /SIGNER_SOCKET/],
])('a process with %s does not start', async (_, steps, more, message) => {
  expect(await worker(steps, more)).toEqual({ code: 1, errors: expect.stringMatching(message) });
});
