// The webhook receiver over real connections, as in docs/sandbox.md#the-webhook-receiver.

import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { Refusal, sendJson } from '../http';
import { Inbox } from './inbox';
import { Receiver } from './routes';

let server: http.Server;
let origin: string;

beforeEach(async () => {
  const receiver = new Receiver(systemClock);
  server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
    receiver.serve({ request, response, url }).catch((error: Error) => {
      sendJson(response, error instanceof Refusal ? error.status : 500, { message: error.message });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

type Outcome = { status: number; text: string; headers: IncomingHttpHeaders } | 'cut';

/** One request on a new connection. */
function call(method: string, path: string, body?: string | Buffer, headers: string[] = []): Promise<Outcome> {
  return new Promise((resolve) => {
    const length = ['content-length', String(Buffer.byteLength(body ?? ''))];
    const request = http.request(`${origin}${path}`, {
      method,
      agent: false,
      headers: ['host', 'receiver', ...length, ...headers],
    });
    request.on('error', () => resolve('cut'));
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString(),
          headers: response.headers,
        }),
      );
    });
    request.end(body);
  });
}

const deliver = (body: string | Buffer, store = 'st_one', headers: string[] = []) =>
  call('POST', `/sandbox/webhooks/${store}`, body, headers);
const behave = (order: unknown) =>
  call('POST', '/sandbox/webhooks/behaviour', JSON.stringify(order), ['content-type', 'application/json']);
const statusOf = (outcome: Outcome) => (outcome === 'cut' ? outcome : outcome.status);

type Entry = Record<'seq' | 'received_at', number> &
  Record<'store_id' | 'method' | 'path' | 'body' | 'body_base64', string> & {
    headers: Record<string, string>;
    answered: number | null;
  };
async function received(query = ''): Promise<Entry[]> {
  const answer = await call('GET', `/sandbox/webhooks${query}`);
  return (JSON.parse((answer as { text: string }).text) as { received: Entry[] }).received;
}

test('a delivery is listed with its raw bytes, headers, store and response', async () => {
  const body = Buffer.from('\xff order-1', 'latin1');
  const before = Date.now();
  const answer = await deliver(body, 'st_one', [
    'X-Service-Event-Type',
    'payment.completed',
    'X-Twice',
    'a',
    'X-Twice',
    'b',
  ]);
  expect(answer).toMatchObject({ status: 200, text: '{"received":true}' });
  const [entry] = await received('?contains=order-1');
  expect(entry).toMatchObject({ store_id: 'st_one', method: 'POST', path: '/sandbox/webhooks/st_one', answered: 200 });
  expect(entry?.headers).toMatchObject({ 'x-service-event-type': 'payment.completed', 'x-twice': 'a, b' });
  expect(Buffer.from(entry?.body_base64 ?? '', 'base64')).toEqual(body);
  expect(entry?.body).toBe('\ufffd order-1');
  expect(entry?.received_at).toBeGreaterThanOrEqual(before);
  expect(entry?.received_at).toBeLessThanOrEqual(Date.now());
});

test('the list is oldest first and can be filtered by text and by store', async () => {
  for (const [body, store] of [
    ['a x', 'st_one'],
    ['b x', 'st_two'],
    ['c', 'st_one'],
  ] as const)
    await deliver(body, store);
  const bodies = async (query: string) => (await received(query)).map(({ body }) => body);
  expect(await bodies('')).toEqual(['a x', 'b x', 'c']);
  expect(await bodies('?contains=x')).toEqual(['a x', 'b x']);
  expect(await bodies('?store_id=st_one')).toEqual(['a x', 'c']);
  expect(await bodies('?contains=x&store_id=st_two')).toEqual(['b x']);
  const order = (await received()).map(({ seq }) => seq);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test('the n-th delivery gets the n-th response of a rule, and later ones the default response', async () => {
  expect(await behave({ contains: 'k1', answers: [{ status: 500 }, { status: 418, body: 'teapot' }] })).toMatchObject({
    text: '{"rules":1}',
  });
  expect(await deliver('other')).toMatchObject({ status: 200 });
  expect(await deliver('k1')).toMatchObject({ status: 500, text: '' });
  expect(await deliver('k1')).toMatchObject({ status: 418, text: 'teapot' });
  expect(await deliver('k1')).toMatchObject({ status: 200, text: '{"received":true}' });
  expect((await received('?contains=k1')).map(({ answered }) => answered)).toEqual([500, 418, 200]);
});

test('of several matching rules, the oldest one with responses left is used', async () => {
  await behave({ contains: 'k', answers: [{ status: 501 }] });
  await behave({ contains: 'k2', answers: [{ status: 502 }] });
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push(statusOf(await deliver('k2')));
  expect(statuses).toEqual([501, 502, 200]);
});

test('a rule for a store does not affect other stores, and a rule without conditions matches any delivery', async () => {
  await behave({ store_id: 'st_two', answers: [{ status: 503 }] });
  expect(statusOf(await deliver('x', 'st_one'))).toBe(200);
  expect(statusOf(await deliver('x', 'st_two'))).toBe(503);
  await behave({ answers: [{ status: 404 }] });
  expect(statusOf(await deliver('y', 'st_nine'))).toBe(404);
});

test('reset removes all rules', async () => {
  await behave({ answers: [{ status: 500 }] });
  expect(await behave({ reset: true })).toMatchObject({ text: '{"rules":0}' });
  expect(statusOf(await deliver('x'))).toBe(200);
});

describe('answers', () => {
  test.each([
    [{ status: 201 }, 201, '{"received":true}'],
    [{ status: 204 }, 204, ''],
    [{ status: 404 }, 404, ''],
    [{ status: 200, body: '' }, 200, ''],
    [{ status: 502, body: '<html>' }, 502, '<html>'],
    [{ delay_ms: 30 }, 200, '{"received":true}'],
  ])('%j', async (answer, status, text) => {
    await behave({ answers: [answer] });
    expect(await deliver('x')).toMatchObject({ status, text });
    expect((await received())[0]?.answered).toBe(status);
  });

  test('sends the configured headers', async () => {
    await behave({ answers: [{ status: 307, headers: { location: 'http://elsewhere.example/' } }] });
    expect(await deliver('x')).toMatchObject({ status: 307, headers: { location: 'http://elsewhere.example/' } });
  });

  test('close drops the connection and is recorded as no response', async () => {
    await behave({ answers: [{ close: true }] });
    expect(await deliver('x')).toBe('cut');
    expect((await received())[0]?.answered).toBeNull();
  });

  test.each([{ hang: true }, { delay_ms: 60_000 }])(
    '%j keeps the connection until the sender closes it',
    async (answer) => {
      await behave({ answers: [answer] });
      const leaving = new AbortController();
      const request = fetch(`${origin}/sandbox/webhooks/st_one`, { method: 'POST', body: 'x', signal: leaving.signal });
      const outcome = request.then(String, (error: Error) => error.name);
      await expect.poll(async () => (await received()).length).toBe(1);
      expect(await Promise.race([outcome, Promise.resolve('still open')])).toBe('still open');
      leaving.abort();
      expect(await outcome).toBe('AbortError');
      expect((await received())[0]?.answered).toBeNull();
    },
  );
});

test.each([
  [{ answers: [{ status: 99 }] }],
  [{ answers: [{ status: '500' }] }],
  [{ answers: [{ headers: { 'bad name': 'x' } }] }],
  [{ answers: 'all' }],
])('rejects the rule %j', async (order) => {
  expect(statusOf(await behave(order))).toBe(400);
});

test('rejects wrong methods, unknown paths and bodies that are too long', async () => {
  expect(statusOf(await call('DELETE', '/sandbox/webhooks'))).toBe(405);
  expect(statusOf(await call('GET', '/sandbox/webhooks/behaviour'))).toBe(405);
  expect(statusOf(await call('POST', '/sandbox/webhooks/st_one/more', 'x'))).toBe(404);
  expect([413, 'cut']).toContain(statusOf(await deliver('x'.repeat(70_000))));
  expect(await received()).toEqual([]);
});

test('keeps at least the last five thousand deliveries, whatever their size, in bounded memory', () => {
  const inbox = new Inbox();
  const base = { storeId: 'st_one', receivedAt: 0, method: 'POST', path: '/', headers: {} };
  const kept = () => inbox.find({ contains: null, storeId: null });
  for (let n = 0; n < 5200; n++) inbox.add({ ...base, body: Buffer.allocUnsafe(20_000) });
  expect(kept()).toHaveLength(5000);
  expect([kept()[0]?.seq, kept().at(-1)?.seq]).toEqual([201, 5200]);
  const small = new Inbox();
  for (let n = 0; n < 20_100; n++) small.add({ ...base, body: Buffer.from('x') });
  expect(small.find({ contains: null, storeId: null })).toHaveLength(20_000);
});
