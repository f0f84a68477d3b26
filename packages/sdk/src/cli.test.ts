// The published command `stabletill listen`, against the service's own server and database, and a local receiver that checks
// signatures as specified.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answerApi } from '@/lib/api/adapters/node-adapter';
import { openServices } from '@/lib/api/services';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import type { Tx } from '@/lib/platform/database/db';
import { recordPaymentEvent } from '@/lib/webhooks/events/record';
import { eventually, openReceiver, verifies, type Receiver } from '@/testing/receivers/receiver';
import { recordEvent } from '@/testing/receivers/webhooks';
import type { Context } from '@/lib/platform/context';
import { freePort } from '@/scripts/free-port.mjs';
import { Stabletill } from './stabletill';

const ROOT = path.join(import.meta.dirname, '..');
let database: TestDatabase;
let context: Context;
let store: TestStore;
let server: Server;
let url: string;
let directory: string;
let receiver: Receiver;
const running: ChildProcess[] = [];

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-cli-'));
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(directory, 'package.json'));
  execFileSync(process.execPath, [path.join(ROOT, 'build.mjs'), path.join(directory, 'dist')]);
  database = await openTestDatabase(10);
  context = testContext(database, { now: () => new Date() }, testConfig());
  store = await makeStore(database, context.config);
  const services = openServices(context);
  server = createServer((request, response) => void answerApi(services, request, response));
  // A port that no outgoing connection takes while the service is away.
  await listenOn(await freePort());
  receiver = await openReceiver((n) => (n === 1 ? 401 : 200));
}, 120_000);
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await receiver.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await database.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

async function listenOn(port: number): Promise<void> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts the command and returns its output lines as they come. */
function run(env: Record<string, string> = {}, args = ['listen', '--forward', receiver.url]) {
  const settings = { STABLETILL_URL: url, STABLETILL_API_KEY: store.apiKey, STABLETILL_API_SECRET: store.apiSecret };
  const child = spawn(process.execPath, [path.join(directory, 'dist/cli.js'), ...args], {
    env: { NODE_ENV: 'test', ...settings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  return { child, ended, error: () => said, line: async () => String((await lines.next()).value) };
}
const test_ = { environment: 'test' as const };

test('events reach the local server like webhooks, one log line each, and Ctrl-C stops the command cleanly', async () => {
  await recordEvent(context, { ...store, ...test_ }, 'before');
  await untilTransactionsEnd(database);
  const command = run();
  expect(await command.line()).toContain(receiver.url);
  const [, secret = ''] = /^export STABLETILL_WEBHOOK_SECRET=(whsec_[0-9a-f]{64})$/.exec(await command.line()) ?? [];
  await recordEvent(context, { ...store, ...test_ }, 'one');
  expect(await command.line()).toMatch(/^payment\.cancelled evt_\d+ -> 200 \(\d+ ms\)$/);
  await recordEvent(context, { ...store, ...test_ }, 'two');
  expect(await command.line()).toMatch(/ -> 401 /);

  const { rows } = await database.pool.query('SELECT id, body FROM events WHERE store_id = $1 ORDER BY id OFFSET 1', [
    store.storeId,
  ]);
  expect(receiver.received.map(({ body }) => body.toString())).toEqual(rows.map(({ body }) => body));
  for (const [n, call] of receiver.received.entries()) {
    expect(verifies(call, secret)).toBe(true);
    expect(call.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      'x-service-event-id': rows[n].id,
      'x-service-event-type': 'payment.cancelled',
    });
  }
  command.child.kill('SIGINT');
  expect(await command.line()).toBe('Stopped.');
  expect(await command.ended).toBe(0);
});

test('the command signs with the same secret after a restart, so that a running server accepts its events', async () => {
  const first = run();
  await first.line();
  const line = await first.line();
  expect(line).toMatch(/^export STABLETILL_WEBHOOK_SECRET=whsec_/);
  const again = run();
  await again.line();
  expect(await again.line()).toBe(line);
  const other = await makeStore(database, context.config);
  const command = run({ STABLETILL_API_KEY: other.apiKey, STABLETILL_API_SECRET: other.apiSecret });
  await command.line();
  expect(await command.line()).not.toBe(line);
});

test('the command resumes at the same position after the service was unreachable', async () => {
  const command = run({ STABLETILL_WEBHOOK_SECRET: 'whsec_mine' });
  await command.line();
  expect(await command.line()).toBe('Signed with STABLETILL_WEBHOOK_SECRET');
  const before = receiver.received.length;
  const { port } = server.address() as AddressInfo;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await command.line()).toMatch(/Trying again in 1 s\.$/);
  await recordEvent(context, { ...store, ...test_ }, 'meanwhile');
  await listenOn(port);
  await eventually(() => receiver.received.length > before, 20_000);
  expect(verifies(receiver.received[before] as Receiver['received'][number], 'whsec_mine')).toBe(true);
});

test('an event is posted again while its server restarts', async () => {
  let calls = 0;
  const restarting = createServer((request, response) => {
    calls += 1;
    if (calls === 1) request.socket.destroy();
    else response.end();
  });
  await new Promise<void>((resolve) => restarting.listen(0, '127.0.0.1', resolve));
  const command = run({}, ['listen', '--forward', `http://127.0.0.1:${(restarting.address() as AddressInfo).port}/`]);
  await command.line();
  await command.line();
  await recordEvent(context, { ...store, ...test_ }, 'restarted');
  expect(await command.line()).toMatch(/ -> UND_ERR_SOCKET \(\d+ ms\), again in 1 s$/);
  expect(await command.line()).toMatch(/ -> 200 /);
  expect(calls).toBe(2);
  restarting.close();
});

test('the help shows the usage and the variables', async () => {
  const command = run({}, ['--help']);
  expect(await command.ended).toBe(0);
  const said: string[] = [];
  for (let line = await command.line(); line !== 'undefined'; line = await command.line()) said.push(line);
  for (const name of [
    'listen --forward',
    'STABLETILL_URL',
    'STABLETILL_API_KEY',
    'STABLETILL_API_SECRET',
    'STABLETILL_WEBHOOK_SECRET',
  ])
    expect(said.join('\n')).toContain(name);
});

describe('the command is refused', () => {
  test.each([
    ['without a test key', { STABLETILL_API_KEY: 'ak_live_1' }, undefined],
    ['without a server to post to', {}, ['listen']],
    ['for a file', {}, ['listen', '--forward', 'file:///etc/passwd']],
    ['with the documentation’s placeholder', { STABLETILL_WEBHOOK_SECRET: 'whsec_…' }, undefined],
    ['when the secret is wrong', { STABLETILL_API_SECRET: 'as_test_wrong' }, undefined],
  ])('%s, with a reason and without a secret', async (_, env, args) => {
    const command = run(env, args);
    expect(await command.ended).toBe(1);
    expect(command.error()).not.toBe('');
    expect(command.error()).not.toContain(store.apiSecret);
  });
});

describe('the route', () => {
  const client = (of: TestStore) =>
    new Stabletill({ apiKey: of.apiKey, apiSecret: of.apiSecret, baseUrl: url, maxRetries: 0 });

  test('returns the starting cursor, then no events of another store, and waits no longer than requested', async () => {
    const other = await makeStore(database, context.config);
    const { resume_cursor: cursor, data } = await client(store).events.listen();
    expect(data).toEqual([]);
    await recordEvent(context, { ...other, ...test_ });
    expect(await client(store).events.listen({ cursor, wait: 1 })).toEqual({ data: [], resume_cursor: cursor });
    const waiting = client(store).events.listen({ cursor, wait: 20 });
    const sessionId = await recordEvent(context, { ...store, ...test_ });
    const received = await waiting;
    expect(received.data.map(({ body }) => JSON.parse(body).data.object.session_id)).toEqual([sessionId]);
    const { resume_cursor: next } = received;
    expect((await client(store).events.listen({ cursor: next, wait: 0 })).data).toEqual([]);
  });

  test('returns an event whose transaction began before the first call and ended after it', async () => {
    const mine = await makeStore(database, context.config);
    const slow = await database.pool.connect();
    await slow.query('BEGIN');
    await slow.query('SELECT pg_current_xact_id()');
    await recordEvent(context, { ...mine, ...test_ }, 'quick');
    await recordPaymentEvent(slow as unknown as Tx, {
      ...{ storeId: mine.storeId, environment: 'test', type: 'payment.expired', sessionId: 'cs_slow', orderId: 'slow' },
      ...{
        amountDue: 1n,
        currency: 'USDT',
        exchangeRate: null,
        network: null,
        transactionHash: null,
        amountReceived: 0n,
      },
      now: new Date(),
    });
    const { resume_cursor: cursor } = await client(mine).events.listen();
    await slow.query('COMMIT');
    slow.release();
    await untilTransactionsEnd(database);
    const { data } = await client(mine).events.listen({ cursor, wait: 5 });
    expect(data.map(({ body }) => JSON.parse(body).data.object.session_id)).toContain('cs_slow');
  });

  test('accepts no live key, and only a few listeners per key at once', async () => {
    const live = await makeStore(database, context.config, 'live');
    await expect(client(live).events.listen()).rejects.toMatchObject({ code: 'insufficient_scope' });
    const mine = await makeStore(database, context.config);
    const { resume_cursor: cursor } = await client(mine).events.listen();
    const requested = Array.from({ length: 7 }, () => client(mine).events.listen({ cursor, wait: 2 }));
    const ended = await Promise.allSettled(requested);
    const codes = ended.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
    expect(codes).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect((await client(mine).events.listen({ cursor, wait: 0 })).data).toEqual([]);
    for (const wait of [21, -1, 1.5])
      await expect(client(mine).events.listen({ cursor, wait })).rejects.toMatchObject({ param: 'wait' });
  });
});
