// The web process's server as it runs in production, on a free port and a test's database. For tests that send what no
// client library would: repeated headers, raw bytes, senders that stop half way.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http, { type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { createFrontServer, TIMEOUTS } from '@/lib/api/adapters/front-server';
import { openServices, type Services } from '@/lib/api/services';
import type { Config } from '@/lib/platform/config/config';
import { signatureOf } from '@/lib/platform/crypto';
import { TARGET_HEADER } from '@/lib/platform/http';
import { openTestDatabase, type TestDatabase } from './database/database';
import { makeAddresses, makeChain, makeStore, TestClock, testConfig, testContext, type TestStore } from './fixtures';

export const CREATE = '/api/v1/checkout/sessions/create';
export const SESSIONS = '/api/v1/checkout/sessions';

type Header = readonly [name: string, value: string];
/** A request as it is sent over the wire. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
};
export type Answered = {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** An empty object if the body is empty. */
  readonly json: AnsweredJson;
};
export type AnsweredJson = {
  readonly error?: { readonly type: string; readonly code: string; readonly param?: string; readonly doc_url: string };
  readonly [name: string]: unknown;
};

/** Changes to a correct request. A null header is omitted, a list is sent as repeated headers. */
export type Over = {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Buffer | object;
  readonly store?: TestStore;
  readonly timestamp?: string;
  readonly nonce?: string;
  /** Signed instead of the sent body. */
  readonly signedBody?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
};

/** Opens a front with a store, followed chains and deposit addresses. `close` it in `afterAll`. */
export async function openFrontServer(settings: Record<string, string> = {}, timeouts: Partial<typeof TIMEOUTS> = {}) {
  const clock = new TestClock();
  const config = testConfig({ TEST_TRON_URLS: 'http://127.0.0.1:1', LIMIT_LOOPBACK: 'off', ...settings });
  const db = await openTestDatabase(20);
  const seconds = clock.now().getTime() / 1000;
  for (const network of ['ethereum', 'bsc', 'tron']) await makeChain(db, network, seconds);
  await makeAddresses(db, 2000);
  const store = await makeStore(db, config);
  const first = await openReplica(db, clock, config, timeouts);
  const replicas = [first];
  return {
    ...{ clock, config, db, store, services: first.services, port: first.port },
    /** A correct create request, or another one: see `Over`. */
    asked: (over: Over = {}) => signed({ store, ...over }, clock),
    /** Signs and sends; returns the response. */
    send: (over: Over = {}, port = first.port, from = '127.0.0.1') =>
      sendTo(port, signed({ store, ...over }, clock), from),
    /** Another server on the same database, with its own memory. */
    replica: async (over: Config = config) => {
      const made = await openReplica(db, clock, over, timeouts);
      replicas.push(made);
      return made;
    },
    close: async () => {
      for (const { server } of replicas) {
        server.closeAllConnections();
        server.close();
      }
      await db.close();
    },
  };
}

export type FrontServer = Awaited<ReturnType<typeof openFrontServer>>;
type Replica = { readonly server: Server; readonly port: number; readonly services: Services };

async function openReplica(
  db: TestDatabase,
  clock: TestClock,
  config: Config,
  timeouts: Partial<typeof TIMEOUTS>,
): Promise<Replica> {
  const services = openServices(testContext(db, clock, config), () => []);
  const pages = {
    answer: (request: http.IncomingMessage, response: http.ServerResponse) =>
      Promise.resolve(
        void response
          .writeHead(404, {
            'x-page': '1',
            'x-told-target': String(request.headers[TARGET_HEADER]),
            'x-told-authorization': String(request.headers.authorization),
          })
          .end(`no page at ${request.url}`),
      ),
  };
  const server = createFrontServer(services, pages, { ...TIMEOUTS, ...timeouts });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, services, port: (server.address() as AddressInfo).port };
}

function signed(over: Over & { store: TestStore }, clock: TestClock): Asked {
  const { store, method = 'POST', nonce = randomUUID() } = over;
  const timestamp = over.timestamp ?? String(Math.floor(clock.now().getTime() / 1000));
  const given = over.body ?? (method === 'POST' ? { amount: 1250, currency: 'USD', order_id: randomUUID() } : '');
  const body = Buffer.isBuffer(given) ? given : Buffer.from(typeof given === 'string' ? given : JSON.stringify(given));
  const signature = signatureOf(store.apiSecret, timestamp, nonce, Buffer.from(over.signedBody ?? body)).toString(
    'hex',
  );
  const headers: Record<string, string | readonly string[] | null> = {
    host: '127.0.0.1',
    authorization: `Bearer ${store.apiKey}`,
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    'x-service-timestamp': timestamp,
    'x-service-nonce': nonce,
    'x-service-signature': signature,
    ...(body.length > 0 || method === 'POST' ? { 'content-length': String(body.length) } : {}),
    ...over.headers,
  };
  const flat = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): Header => [name, value]),
  );
  return { method, path: over.path ?? CREATE, headers: flat, body };
}

/** Sends a request through Node's client, on its own connection. */
export function sendTo(port: number, { method, path, headers, body }: Asked, from = '127.0.0.1'): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = http.request(
      { port, host: '127.0.0.1', localAddress: from, method, path, headers: headers.flat(), agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve(answered(response, Buffer.concat(chunks).toString())));
      },
    );
    let isAnswered = false;
    sent.once('response', () => (isAnswered = true));
    // A server that refuses early may close while the rest is still being sent.
    sent.on('error', (error) => (isAnswered ? undefined : reject(error)));
    sent.end(body);
  });
}

function answered({ statusCode = 0, headers }: http.IncomingMessage, text: string): Answered {
  const isJson = String(headers['content-type']).startsWith('application/json');
  return { status: statusCode, headers, text, json: isJson && text !== '' ? (JSON.parse(text) as AnsweredJson) : {} };
}

/** The bytes of a request, for a raw socket. */
export const wire = ({ method, path, headers, body }: Asked, version = '1.1'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `${method} ${path} HTTP/${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      'latin1',
    ),
    body,
  ]);

/** Writes raw bytes. Returns all received data once the server closes or is silent for `quiet` ms. */
export function raw(port: number, bytes: Buffer | string, quiet = 5000): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    const end = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(quiet, end);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.write(bytes);
  });
}

/** The status codes of the responses in `raw`. */
export const statuses = (text: string): number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));

/** A response in one line: `200`, or status, code and parameter. Throws for an incomplete error envelope. */
export function outcome({ status, json, headers, text }: Answered): string {
  if (status < 400) return String(status);
  const { error, request_id: id, timestamp } = json;
  const isWhole =
    /^req_[0-9A-Za-z]{22}$/.test(String(id)) &&
    headers['x-request-id'] === id &&
    Number.isSafeInteger(timestamp) &&
    error !== undefined &&
    error.doc_url.endsWith(`/docs/errors/${error.code}`) &&
    !/\bat .*:\d+:\d+/.test(text);
  if (!isWhole) throw new Error(`an answer ${status} without the envelope: ${text.slice(0, 300)}`);
  return [status, error.code, error.param].filter((part) => part !== undefined).join(' ');
}
