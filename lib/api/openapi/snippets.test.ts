// Runs the documentation's code samples as a merchant would: against a served API, and against deliveries signed by the service's
// own code. A language whose runtime is not installed here is skipped by name.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import { openApi, serveApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import type { TestStore } from '@/testing/fixtures';
import type { OpenedServer } from '@/testing/server';
import { paymentEventBody } from '@/lib/webhooks/events/events';
import { signedHeaders } from '@/lib/webhooks/events/message';
import { freePort } from '@/scripts/free-port.mjs';
import { samplesOf, type SampleCall } from './samples';

const SNIPPETS = path.join(import.meta.dirname, '../../../docs/snippets');
const SECRET = 'whsec_snippets';
const LIMIT_MILLISECONDS = 120_000;

type Language = {
  readonly name: string;
  readonly extension: string;
  readonly check: readonly [string, ...string[]];
  /** The command that runs a program; `port` for programs whose server sets it. */
  readonly run: (file: string, port?: number) => readonly [string, ...string[]];
};

const scratch = mkdtempSync(path.join(tmpdir(), 'snippets-'));
const SHELL: Language = {
  name: 'curl',
  extension: 'sh',
  check: ['sh', '-c', 'curl --version && openssl version'],
  run: (file) => ['sh', file],
};
const LANGUAGES: readonly Language[] = [
  { name: 'Node', extension: 'mjs', check: ['node', '--version'], run: (file) => [process.execPath, file] },
  { name: 'Python', extension: 'py', check: ['python3', '--version'], run: (file) => ['python3', file] },
  {
    name: 'PHP',
    extension: 'php',
    check: ['php', '--version'],
    run: (file, port) => (port === undefined ? ['php', file] : ['php', '-S', `127.0.0.1:${port}`, file]),
  },
  { name: 'Go', extension: 'go', check: ['go', 'version'], run: (file) => [built(file)] },
];

/** `go run` would leave its child behind when it is killed, so the program is built and started itself. */
function built(file: string): string {
  const program = path.join(scratch, path.basename(file, '.go'));
  const { status, stderr } = spawnSync('go', ['build', '-o', program, file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return program;
}

const isInstalled = ({ check: [command, ...values] }: Language): boolean => spawnSync(command, values).status === 0;

let db: TestDatabase;
let store: TestStore;
/** Its key requires signature version 2. */
let strict: TestStore;
let server: OpenedServer;
const children: ChildProcess[] = [];

beforeAll(async () => {
  const api = await openApi({ clock: systemClock });
  ({ db, store, other: strict } = api);
  await db.prisma.apiKey.update({ where: { id: strict.keyId }, data: { requiresSignatureV2: true } });
  server = await serveApi(() => api.services);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true });
  await server.close();
  await db.close();
});

function start(command: readonly [string, ...string[]], settings: Record<string, string>) {
  const [program, ...values] = command;
  const child = spawn(program, values, { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  return { said, ended, child };
}

/** Sends until the program listens; the program does not report when it is ready. */
async function post(port: number, headers: Record<string, string>, body: string): Promise<number> {
  for (;;) {
    try {
      return (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body })).status;
    } catch (error) {
      if ((error as { cause?: { code?: string } }).cause?.code !== 'ECONNREFUSED') throw error;
      await wait(50);
    }
  }
}

describe.each([SHELL, ...LANGUAGES])('in $name', (language) => {
  const file = (name: string) => path.join(SNIPPETS, `${name}.${language.extension}`);
  const missing = !isInstalled(language);
  /** A shell receives no webhooks and has no program for version 2. */
  const names = language === SHELL ? ['quick-start'] : ['quick-start', 'signature-v2'];
  const suffix = missing ? ` (SKIPPED: ${language.check[0]} is not installed here)` : '';

  test.skipIf(missing).each(names)(
    `%s creates a session and reads it${suffix}`,
    { timeout: LIMIT_MILLISECONDS },
    async (name) => {
      const before = await db.prisma.session.count();
      const { apiKey, apiSecret } = name === 'signature-v2' ? strict : store;
      const { said, ended } = start(language.run(file(name)), {
        STABLETILL_URL: server.url,
        STABLETILL_API_KEY: apiKey,
        STABLETILL_API_SECRET: apiSecret,
      });
      expect([await ended, said.err]).toEqual([0, '']);
      expect(said.out).toMatch(
        /^Redirect the customer to http:\/\/127\.0\.0\.1:3000\/pay\/(cs_test_\w+)\n\1 is unpaid \(PENDING\)\n$/,
      );
      expect(await db.prisma.session.count()).toBe(before + 1);
    },
  );

  test.skipIf(missing).each(names)(
    `%s reports a wrong secret by its code${suffix}`,
    { timeout: LIMIT_MILLISECONDS },
    async (name) => {
      const { said, ended } = start(language.run(file(name)), {
        STABLETILL_URL: server.url,
        STABLETILL_API_KEY: store.apiKey,
        STABLETILL_API_SECRET: `${store.apiSecret}x`,
      });
      expect(await ended).not.toBe(0);
      expect(said.out + said.err).toContain('invalid_signature');
    },
  );

  const variables = names.flatMap((name) => [
    [name, 'STABLETILL_API_SECRET'],
    [name, 'STABLETILL_API_KEY'],
  ]);
  test.skipIf(missing).each(variables)(
    `%s names the variable %s that is not set${suffix}`,
    { timeout: LIMIT_MILLISECONDS },
    async (name = '', variable = '') => {
      const settings = { STABLETILL_URL: 'http://127.0.0.1:9', STABLETILL_API_KEY: 'x', STABLETILL_API_SECRET: 'x' };
      const { [variable]: _, ...given } = settings as Record<string, string>;
      const { said, ended } = start(language.run(file(name)), given);
      expect(await ended).not.toBe(0);
      expect(said.out + said.err).toContain(variable);
    },
  );

  test.skipIf(missing || language === SHELL)(
    `the receiver takes genuine deliveries, each event once, and no other${suffix}`,
    { timeout: LIMIT_MILLISECONDS },
    async () => {
      const port = await freePort();
      const settings = { PORT: String(port), STABLETILL_WEBHOOK_SECRET: SECRET };
      const { said, child, ended } = start(language.run(file('webhook'), port), settings);
      const now = unixSeconds(systemClock.now());
      const eventId = `evt_${randomBytes(6).readUIntBE(0, 6)}`;
      const facts = {
        sessionId: 'cs_test_1',
        orderId: 'order-“ü”',
        amountDue: 1250n,
        currency: 'USDT',
        exchangeRate: null,
        network: 'bsc',
        transactionHash: '0x1',
        amountReceived: 1250n,
      };
      const body = paymentEventBody('payment.completed', facts, { id: eventId, now: systemClock.now() });
      const headers = (over: { secret?: string; at?: number } = {}) =>
        signedHeaders(
          { eventId, type: 'payment.completed', body, secret: over.secret ?? SECRET, previousSecret: 'whsec_old' },
          { timestamp: over.at ?? now, nonce: randomUUID() },
        );
      const genuine = headers();
      expect(await post(port, genuine, body.replace('1250', '9999'))).toBe(401);
      expect(await post(port, headers({ secret: 'whsec_other' }), body)).toBe(401);
      expect(await post(port, headers({ at: now - 400 }), body)).toBe(401);
      expect(await post(port, headers({ at: now + 400 }), body)).toBe(401);
      expect(await post(port, { ...genuine, 'X-Service-Signature': 'ab' }, body)).toBe(401);
      expect(await post(port, { ...genuine, 'X-Service-Timestamp': 'now' }, body)).toBe(401);
      expect(await post(port, { 'Content-Type': 'application/json' }, body)).toBe(401);
      expect(said.out).not.toContain('payment.completed');
      expect(await post(port, genuine, body)).toBe(200);
      expect(await post(port, headers(), body)).toBe(200);
      child.kill('SIGTERM');
      await ended;
      expect(said.out.match(/payment\.completed order-“ü”/g)).toHaveLength(1);
    },
  );
});

describe.each([SHELL, ...LANGUAGES])('the reference’s sample in $name', (language) => {
  const missing = !isInstalled(language);
  test.skipIf(missing)(
    `is signed correctly, with quotes and other alphabets in the body${missing ? ` (SKIPPED: ${language.check[0]} is not installed here)` : ''}`,
    { timeout: LIMIT_MILLISECONDS },
    async () => {
      const settings = {
        STABLETILL_URL: server.url,
        STABLETILL_API_KEY: store.apiKey,
        STABLETILL_API_SECRET: store.apiSecret,
      };
      const answerTo = async (call: SampleCall) => {
        const text = samplesOf(call).find(({ id }) => id === language.name.toLowerCase())?.text ?? '';
        const file = path.join(scratch, `sample-${randomUUID()}.${language.extension}`);
        writeFileSync(file, text);
        const { said, ended } = start(language.run(file), settings);
        expect([await ended, said.err]).toEqual([0, '']);
        return JSON.parse(said.out) as { id: string; metadata: Record<string, string> };
      };
      const metadata = { note: `it's "5 $ off" \\ \`id\` кофе ☕` };
      const body = JSON.stringify({ amount: 1, currency: 'USD', order_id: randomUUID(), metadata });
      const made = await answerTo({ method: 'POST', path: '/api/v1/checkout/sessions/create', body });
      expect(made.metadata).toMatchObject(metadata);
      const read = await answerTo({ method: 'GET', path: `/api/v1/checkout/sessions/${made.id}`, body: null });
      expect(read.id).toBe(made.id);
      const canceled = await answerTo({
        method: 'POST',
        path: `/api/v1/checkout/sessions/${made.id}/cancel`,
        body: null,
      });
      expect(canceled).toMatchObject({ id: made.id, status: 'EXPIRED' });
    },
  );
});
