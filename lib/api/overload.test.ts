// What callers see at our own server when more requests arrive than can be answered.

import http from 'node:http';
import net from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signatureOf } from '@/lib/platform/crypto';
import { LARGEST_BODY } from '@/lib/platform/http';
import { openApi, serveApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import type { OpenedServer } from '@/testing/server';
import { callerOf } from './limits/admission';
import { answerPublicStatus } from './public/session-status';
import { ROUTES } from './routes';
import { openServices, type Services } from './services';

const CREATE = '/api/v1/checkout/sessions/create';
const PLACES = 30;
const config = testConfig({ API_IN_FLIGHT: String(PLACES), DATABASE_POOL: '3' });
const clock = new TestClock();
let db: TestDatabase;
let services: Services;
let store: TestStore;
let server: OpenedServer;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  ({ db, store } = await openApi({ clock, config }));
  server = await serveApi(() => services);
});
beforeEach(() => {
  services = openServices(testContext(db, clock, config));
});
afterAll(async () => {
  agent.destroy();
  await server.close();
  await db.close();
});

type Answered = { status: number; headers: http.IncomingHttpHeaders; body: Record<string, unknown>; port: number };

type CallOptions = { method?: string; body?: string; by?: TestStore; secret?: string };

function call(
  path: string,
  { method = 'POST', body = '', by = store, secret = by.apiSecret }: CallOptions = {},
): Promise<Answered> {
  const [timestamp, nonce] = [String(clock.now().getTime() / 1000), randomUUID()];
  const headers = {
    Authorization: `Bearer ${by.apiKey}`,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': signatureOf(secret, timestamp, nonce, Buffer.from(body)).toString('hex'),
    ...(body ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {}),
  };
  const { port } = server;
  return new Promise((resolve, reject) => {
    const request = http.request({ port, host: '127.0.0.1', path, method, headers, agent }, (response) => {
      const from = response.socket.localPort ?? 0;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
          port: from,
        }),
      );
    });
    request.once('error', reject).end(body);
  });
}

const draft = (description = 'One blue mug'): string =>
  JSON.stringify({ amount: 1250, currency: 'USD', order_id: randomUUID(), description });
/** Takes places for separate callers until `taken` are taken. */
const fill = (taken = PLACES): void => {
  for (let n = 0; n < taken; n++) services.admission.enter(`caller ${n}`);
};
const empty = (): void => {
  for (let n = 0; n < PLACES; n++) services.admission.leave(`caller ${n}`);
};
/** The number of free places. */
function freePlaces(): number {
  let free = 0;
  for (; !services.admission.isFull(`probe ${free}`); free++) services.admission.enter(`probe ${free}`);
  for (let n = 0; n < free; n++) services.admission.leave(`probe ${n}`);
  return free;
}

test('a flood of one API key gets 503 while another key’s request is answered', async () => {
  const other = await makeStore(db, config);
  const heavy = callerOf('127.0.0.1', `Bearer ${store.apiKey}`);
  while (!services.admission.isFull(heavy)) services.admission.enter(heavy);
  expect((await call(CREATE, { body: draft() })).status).toBe(503);
  expect((await call(CREATE, { body: draft(), by: other })).status).toBe(200);
});

test('at the limit a request gets 503 with Retry-After and the usual envelope, and has no effect', async () => {
  fill();
  const before = await db.prisma.session.count();
  const { status, headers, body } = await call(CREATE, { body: draft() });
  expect([status, headers['retry-after']]).toEqual([503, '1']);
  expect(body).toMatchObject({ error: { type: 'api_error', code: 'SERVICE_UNAVAILABLE' } });
  expect(headers['x-request-id']).toBe(body.request_id);
  expect(await db.prisma.session.count()).toBe(before);
  expect(services.requestTimes.text()).toContain('status="503"');
});

test('a refused caller keeps its connection, and is served on it when there is room', async () => {
  fill();
  const refused = await call(CREATE, { body: draft('x'.repeat(400)) });
  empty();
  const served = await call(CREATE, { body: draft() });
  expect([refused.status, served.status]).toEqual([503, 200]);
  expect(served.port).toBe(refused.port);
});

test('a body above the limit closes the connection', async () => {
  fill();
  const { status, headers } = await call(CREATE, { body: 'x'.repeat(LARGEST_BODY + 1) });
  expect([status, headers.connection]).toEqual([503, 'close']);
});

test('the quick-start variant is refused in its own shape', async () => {
  fill();
  const { status, body } = await call('/v1/payment/sessions/cs_test_0000000000000000/', { method: 'GET' });
  expect([status, body.base]).toEqual([503, { code: 503, message: expect.any(String) as unknown }]);
});

test('places are released after every response', async () => {
  const statuses = [
    (await call(CREATE, { body: draft() })).status,
    (await call(CREATE, { body: '{' })).status,
    (await call(CREATE, { body: draft(), secret: 'as_test_another' })).status,
    (await call('/api/v1/nothing', { method: 'GET' })).status,
    (await answerPublicStatus(services, 'cs_test_0000000000000000', '127.0.0.1')).status,
  ];
  expect(statuses).toEqual([200, 400, 401, 404, 404]);
  expect(freePlaces()).toBe(PLACES);
});

test('senders that never finish take no place from others', async () => {
  const { port, server: listener } = server;
  const slow = Array.from({ length: 3 * PLACES }, () => net.connect({ port, host: '127.0.0.1' }));
  const arrived = new Promise<void>((resolve) => {
    let count = 0;
    const counted = (): void => {
      if (++count < slow.length) return;
      listener.off('request', counted);
      resolve();
    };
    listener.on('request', counted);
  });
  for (const socket of slow) socket.write(`POST ${CREATE} HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{`);
  await arrived;
  expect((await call(CREATE, { body: draft() })).status).toBe(200);
  for (const socket of slow) socket.destroy();
});

test("the hosted page's polling is refused like any other", async () => {
  fill();
  expect((await answerPublicStatus(services, 'cs_test_0000000000000000', '127.0.0.1')).status).toBe(503);
  expect(freePlaces()).toBe(0);
});

test('requests that wait for a chain or for events take no place from requests that need only the database', () => {
  const outside = ROUTES.filter(({ waitsOutside }) => waitsOutside).map(({ path }) => path.split('/').at(-1));
  expect(outside).toEqual(['listen', 'find', 'pay', 'expire', 'mine', 'reorg']);
});
