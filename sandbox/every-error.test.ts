// A merchant's developer can trigger every code of the specification's error table in a running sandbox, with signed
// requests and test keys alone. The web server, PostgreSQL and the local chains are real; /api/cron stands in for the
// worker.

import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createFrontServer } from '@/lib/api/adapters/front-server';
import { openServices } from '@/lib/api/services';
import { systemClock } from '@/lib/platform/clock';
import { signatureOf } from '@/lib/platform/crypto';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import guides from '@/messages/docs/en.json';
import { spawnSandbox } from './spawn';

/** The error table of the specification ("Errors"): code, status, and the faulty parameter. */
const ERROR_TABLE = [
  ['invalid_api_key', 401, 'Authorization'],
  ['MISSING_CHARGE', 400, 'session_id'],
  ['MISSING_REFUND_ID', 400, 'refund_id'],
  ['INVALID_JSON', 400, 'body'],
  ['INVALID_CURRENCY', 400, 'currency'],
  ['INVALID_AMOUNT', 400, 'amount'],
  ['SESSION_NOT_FOUND', 404, 'session_id'],
  ['session_access_denied', 403, 'session_id'],
  ['REFUND_NOT_FOUND', 404, 'refund_id'],
  ['FORBIDDEN', 403, 'refund_id'],
  ['INVALID_SESSION_STATUS', 400, 'session_id'],
  ['REFUND_AMOUNT_EXCEEDED', 400, 'amount'],
  ['REFUND_TIME_EXPIRED', 400, 'session_id'],
  ['CANNOT_CANCEL_REFUND', 400, 'refund_id'],
  ['DAILY_REFUND_LIMIT_EXCEEDED', 429, 'amount'],
] as const;
type Code = (typeof ERROR_TABLE)[number][0];

const CRON_SECRET = 'a-secret-of-the-host';
const SESSIONS = '/api/v1/checkout/sessions';
const HELPERS = '/api/v1/test_helpers';
const PRICE = 300;
/** One cent more than a store's default daily refund limit. */
const ABOVE_DAY_LIMIT = 1_000_001;
/** One day more than a store's refund window. */
const BEYOND_WINDOW = { days: 181 };
/** More than the local chain needs to make a transfer final. */
const FINAL = { blocks: 40 };
/** Far more than the watcher needs on a busy machine. */
const PAID_MILLISECONDS = 60_000;

type Answered = { readonly status: number; readonly requestId: string | null; readonly json: Json };
type Json = Record<string, unknown> & { error?: Record<string, unknown> };

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-errors-'));
const sandbox = spawnSandbox(directory);
let db: TestDatabase;
let server: Server;
let base: string;
let store: TestStore;
let other: TestStore;
/** Paid sessions: one unchanged, one with a backdated payment, and one above the daily limit. */
let paid: string;
let aged: string;
let large: string;

beforeAll(async () => {
  const { origin, networks } = await sandbox.ready;
  db = await openTestDatabase();
  const config = testConfig({
    SANDBOX_ORIGIN: origin,
    CRON_SECRET,
    TEST_ETHEREUM_URLS: '',
    TEST_BSC_URLS: String(networks.bsc?.rpc_url),
  });
  [store, other] = [await makeStore(db, config), await makeStore(db, config)];
  await db.prisma.addressPoolEntry.createMany({ data: [1, 2, 3, 4].map(addressOfNobody) });
  server = createFrontServer(openServices(testContext(db, systemClock, config)), { answer: () => Promise.reject() });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The first run starts following the chain; before that, no session can be created.
  await runPass();
  [paid, aged, large] = [await newSession(PRICE), await newSession(PRICE), await newSession(ABOVE_DAY_LIMIT)];
  for (const id of [paid, aged, large]) await pay(id);
  await vi.waitFor(async () => expect(await unpaidAfterPass()).toEqual([]), {
    timeout: PAID_MILLISECONDS,
    interval: 200,
  });
});
afterAll(async () => {
  server?.close();
  server?.closeAllConnections();
  sandbox.child.kill('SIGTERM');
  await sandbox.ended;
  await db?.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

const addressOfNobody = (addressIndex: number) => {
  const hex = randomBytes(20).toString('hex');
  return {
    environment: 'test',
    addressIndex,
    evmAddress: `0x${hex}`,
    tronAddress: `T${hex}`,
    solanaAddress: hex,
  } as const;
};

const runPass = () => fetch(`${base}/api/cron`, { headers: { authorization: `Bearer ${CRON_SECRET}` } });

/** Signs as a merchant's own program does. A text body is sent unchanged. */
async function send(method: string, at: string, given: object | string = '', by = store): Promise<Answered> {
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), randomUUID()];
  const response = await fetch(base + at, {
    method,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${by.apiKey}`,
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': signatureOf(by.apiSecret, timestamp, nonce, Buffer.from(body)).toString('hex'),
    },
    ...(method === 'POST' && { body }),
  });
  const json = (await response.json()) as Json;
  return { status: response.status, requestId: response.headers.get('x-request-id'), json };
}

async function done(answer: Promise<Answered>): Promise<Json> {
  const { status, json } = await answer;
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(json)}`);
  return json;
}

async function newSession(amount: number): Promise<string> {
  const made = await done(send('POST', `${SESSIONS}/create`, { amount, currency: 'USDT', order_id: randomUUID() }));
  return String(made.id);
}

async function pay(id: string): Promise<void> {
  await done(send('POST', `${HELPERS}/checkout/sessions/${id}/pay`, { network: 'bsc', currency: 'USDT' }));
  await done(send('POST', `${HELPERS}/networks/bsc/mine`, FINAL));
}

async function unpaidAfterPass(): Promise<string[]> {
  await runPass();
  const sessions = await Promise.all([paid, aged, large].map((id) => done(send('GET', `${SESSIONS}/${id}`))));
  return sessions.flatMap(({ id, payment_status }) => (payment_status === 'paid' ? [] : [String(id)]));
}

const refundOf = (over: object = {}) => ({
  session_id: paid,
  refund_id: randomUUID(),
  amount: 100,
  currency: 'USDT',
  ...over,
});
const refund = (over: object = {}, by = store) => send('POST', '/api/v1/refunds/create', refundOf(over), by);
const cancel = (refundId: string) => send('POST', `/api/v1/refunds/${refundId}/cancel`);

/** For each code, the developer's request that is rejected with it. */
const REQUESTS: Readonly<Record<Code, () => Promise<Answered>>> = {
  invalid_api_key: () => refund({}, { ...store, apiKey: 'ak_test_of_nobody' }),
  MISSING_CHARGE: () => refund({ session_id: undefined }),
  MISSING_REFUND_ID: () => refund({ refund_id: undefined }),
  INVALID_JSON: () => send('POST', '/api/v1/refunds/create', '{"session_id": "cs_'),
  INVALID_CURRENCY: () => refund({ currency: 'EUR' }),
  INVALID_AMOUNT: () => refund({ amount: 0 }),
  SESSION_NOT_FOUND: () => refund({ session_id: 'cs_test_of_nobody' }),
  session_access_denied: () => refund({}, other),
  REFUND_NOT_FOUND: () => send('GET', `/api/v1/refunds/${randomUUID()}`),
  FORBIDDEN: async () => {
    const { refund_id } = await done(refund());
    return send('GET', `/api/v1/refunds/${String(refund_id)}`, '', other);
  },
  INVALID_SESSION_STATUS: async () => refund({ session_id: await newSession(PRICE) }),
  REFUND_AMOUNT_EXCEEDED: () => refund({ amount: PRICE + 1 }),
  REFUND_TIME_EXPIRED: async () => {
    await done(send('POST', `${HELPERS}/checkout/sessions/${aged}/age`, BEYOND_WINDOW));
    return refund({ session_id: aged });
  },
  CANNOT_CANCEL_REFUND: async () => {
    const refundId = String((await done(refund())).refund_id);
    await done(cancel(refundId));
    return cancel(refundId);
  },
  DAILY_REFUND_LIMIT_EXCEEDED: () => refund({ session_id: large, amount: ABOVE_DAY_LIMIT }),
};

test.each(ERROR_TABLE)('a developer can cause %s, which has status %i', async (code, status, param) => {
  const { status: answered, requestId, json } = await REQUESTS[code]();
  expect([answered, json]).toEqual([
    status,
    {
      error: {
        type: 'invalid_request_error',
        code,
        message: expect.stringMatching(/\S/),
        param,
        doc_url: `http://127.0.0.1:3000/docs/errors/${code}`,
      },
      request_id: requestId,
      timestamp: expect.any(Number),
    },
  ]);
});

test('the documentation explains how to cause each error', () => {
  const section = guides.guides
    .flatMap(({ sections }) => sections)
    .find(({ title }) => title === 'Every error of a refund') as { table: { rows: string[][] } } | undefined;
  const documented = section?.table.rows.map(([cell = '']) => /^\[(\w+)\]/.exec(cell)?.[1]);
  expect(documented?.toSorted()).toEqual(ERROR_TABLE.map(([code]) => code).toSorted());
});
