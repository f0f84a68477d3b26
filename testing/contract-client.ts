// A merchant's client written from the specification alone, for the contract tests: it sends the same signed request
// through each HTTP adapter of the product. Its signature shares no code with the service.

import { createHmac, randomUUID } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientHeader } from '@/lib/api/client-address';
import { answerApi } from '@/lib/api/adapters/node-adapter';
import { openServices } from '@/lib/api/services';
import { answerAsNext } from '@/testing/next-handlers';
import { openTestDatabase } from './database/database';
import { makeAddresses, makeChain, makeStore, TestClock, testConfig, testContext, type TestStore } from './fixtures';
import { makeRates } from './rates';

export const ADAPTERS = ['the Node server', 'Next'] as const;
export type Adapter = (typeof ADAPTERS)[number];

export const SESSIONS = '/api/v1/checkout/sessions';
export const REFUNDS = '/api/v1/refunds';
const NETWORKS = ['tron', 'ethereum', 'bsc', 'solana'] as const;
const NOWHERE = 'http://127.0.0.1:1';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // A reader of the contract has no types: the tests check the fields.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
};
/** Changes to a correct request. `null` omits a header. `signed`: signed instead of the body. */
export type Change = {
  readonly store?: TestStore;
  readonly timestamp?: string;
  readonly nonce?: string;
  readonly signed?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
};
type Sent = { method: string; path: string; headers: [string, string][]; body: string };

/** The specification's signature: hex HMAC-SHA256 of timestamp "." nonce "." body, keyed with the API secret. */
export const signatureBySpec = (secret: string, timestamp: string, nonce: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${nonce}.${body}`, 'utf8').digest('hex');

/** Opens the service with two approved stores, all four networks and exchange rates. `close` it in `afterAll`. */
export async function openContract(settings: Record<string, string> = {}) {
  const clock = new TestClock();
  const urls = { TEST_TRON_URLS: NOWHERE, TEST_SOLANA_URLS: NOWHERE };
  const config = testConfig({ ...urls, RATE_SOURCES: 'coinbase er-api', LIMIT_LOOPBACK: 'off', ...settings });
  const db = await openTestDatabase();
  const now = () => Math.floor(clock.now().getTime() / 1000);
  const chains: Record<string, number> = {};
  for (const network of NETWORKS) chains[network] = await makeChain(db, network, now());
  await makeAddresses(db, 1000);
  const [store, other] = [await makeStore(db, config), await makeStore(db, config)];
  const services = openServices(testContext(db, clock, config));
  const server = http.createServer((request, response) => void answerApi(services, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const setRates = (eur: string) => makeRates(db, clock.now(), { EUR: eur, JPY: '160', USDT: '1', USDC: '1' });
  await setRates('0.8');

  const send = (adapter: Adapter, method: string, path: string, body: unknown, change: Change): Promise<Reply> => {
    const { apiKey, apiSecret } = change.store ?? store;
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const { timestamp = String(now()), nonce = randomUUID() } = change;
    const headers: Record<string, string | null> = {
      ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
      Authorization: `Bearer ${apiKey}`,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': signatureBySpec(apiSecret, timestamp, nonce, change.signed ?? text),
      ...clientHeader('127.0.0.1'),
      ...change.headers,
    };
    const given = Object.entries(headers).filter((one): one is [string, string] => one[1] !== null);
    const sent = { method, path, headers: given, body: text };
    return adapter === 'Next' ? throughNext(sent) : throughNode(sent);
  };

  const throughNext = async ({ method, path, headers, body }: Sent): Promise<Reply> => {
    const init = { method, headers, ...(body === '' ? {} : { body }) };
    const response = await answerAsNext(services, new Request(`${config.PUBLIC_URL}${path}`, init));
    return { status: response.status, headers: Object.fromEntries(response.headers), json: await response.json() };
  };

  const throughNode = ({ method, path, headers, body }: Sent): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const all = [...headers, ['Content-Length', String(Buffer.byteLength(body))]];
      const request = http.request({
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: Object.fromEntries(all),
        agent: false,
      });
      request.on('error', reject).on('response', (response) => void read(response).then(resolve, reject));
      request.end(body);
    });

  /** The calls of one merchant through one adapter. */
  const client = (adapter: Adapter, own: TestStore = store) => {
    const get = (path: string, change: Change = {}) => send(adapter, 'GET', path, undefined, { store: own, ...change });
    const post = (path: string, body: unknown, change: Change = {}) =>
      send(adapter, 'POST', path, body, { store: own, ...change });
    return {
      get,
      post,
      create: (over: object = {}, change: Change = {}) => post(`${SESSIONS}/create`, draft(over), change),
    };
  };

  return {
    ...{ clock, config, db, store, other, chains, services, client, now, setRates },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await db.close();
    },
  };
}

export type Contract = Awaited<ReturnType<typeof openContract>>;
export type Client = ReturnType<Contract['client']>;

/** The smallest create request of the specification. An undefined field is omitted. */
export const draft = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });

/** A line item with every field of the specification. */
export const item = (unit_amount: number, over: object = {}) => ({
  price_data: { currency: 'USD', unit_amount, product_data: { name: 'Mug', description: 'Blue, 0.3 l' } },
  quantity: 1,
  ...over,
});

async function read(response: http.IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const headers: IncomingHttpHeaders = response.headers;
  return { status: response.statusCode ?? 0, headers, json: JSON.parse(Buffer.concat(chunks).toString() || '{}') };
}
