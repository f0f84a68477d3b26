import { request as httpRequest } from 'node:http';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureOf } from '@/lib/platform/crypto';
import { openApi, serveApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { isCanonical } from '@/lib/platform/http';
import { openServices, type Services } from './services';
import { CURRENT_VERSION } from './version';
import { answerAsNext } from '@/testing/next-handlers';
import type { OpenedServer } from '@/testing/server';

const CREATE = '/api/v1/checkout/sessions/create';
const config = testConfig();
const clock = new TestClock();
let db: TestDatabase;
let services: Services;
let store: TestStore;
let server: OpenedServer;

beforeAll(async () => {
  ({ db, services, store } = await openApi({ clock, config }));
  server = await serveApi(() => services);
});
afterAll(async () => {
  await server.close();
  await db.close();
});

type Asked = { method: string; path: string; headers: [string, string][]; body: Buffer };
type Answered = {
  status: number;
  headers: Record<string, unknown>;
  json: { error?: { code: string; doc_url: string }; [name: string]: unknown };
};

function signed(
  over: { method?: string; path?: string; body?: string | Buffer; headers?: [string, string | null][] } = {},
): Asked {
  const body = Buffer.from(over.body ?? JSON.stringify({ amount: 1250, currency: 'USD', order_id: randomUUID() }));
  const [timestamp, nonce] = [String(clock.now().getTime() / 1000), randomUUID()];
  const usual: [string, string][] = [
    ['Authorization', `Bearer ${store.apiKey}`],
    ['Content-Type', 'application/json'],
    ['X-Service-Timestamp', timestamp],
    ['X-Service-Nonce', nonce],
    ['X-Service-Signature', signatureOf(store.apiSecret, timestamp, nonce, body).toString('hex')],
  ];
  const changed = new Set((over.headers ?? []).map(([name]) => name.toLowerCase()));
  const headers = [
    ...usual.filter(([name]) => !changed.has(name.toLowerCase())),
    ...(over.headers ?? []).filter((one): one is [string, string] => one[1] !== null),
  ];
  return { method: over.method ?? 'POST', path: over.path ?? CREATE, headers, body };
}

function throughNode({ method, path, headers, body }: Asked): Promise<Answered> {
  const { port } = server;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: [...headers, ['Host', '127.0.0.1'], ['Content-Length', String(body.length)]].flat(),
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            json: JSON.parse(Buffer.concat(chunks).toString() || '{}'),
          }),
        );
      },
    );
    let answered = false;
    sent.once('response', () => (answered = true));
    sent.on('error', (error) => (answered ? undefined : reject(error)));
    sent.end(body);
  });
}

async function throughWeb({ method, path, headers, body }: Asked): Promise<Answered> {
  const init = method === 'GET' ? {} : { body: new Uint8Array(body) };
  const response = await answerAsNext(
    services,
    new Request(`http://127.0.0.1:3000${path}`, { method, headers, ...init }),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    json: (await response.json()) as Answered['json'],
  };
}

describe.each([
  ['our server', throughNode],
  ['Next', throughWeb],
] as const)('through %s', (_, send) => {
  const expectCode = async (asked: Asked, status: number, code: string) => {
    const answer = await send(asked);
    expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
    expect(answer.headers['x-request-id']).toBe(answer.json.request_id);
    expect(answer.json.error?.doc_url).toBe(`http://127.0.0.1:3000/docs/errors/${code}`);
    return answer;
  };

  test('accepts a signed create and never caches its response', async () => {
    const answer = await send(signed());
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  });

  test('refuses a header that is sent twice like a missing one', async () => {
    await expectCode(
      signed({
        headers: [
          ['X-Service-Nonce', 'a'],
          ['X-Service-Nonce', 'b'],
        ],
      }),
      401,
      'missing_header',
    );
  });

  test('an empty header counts as missing', async () => {
    await expectCode(signed({ headers: [['X-Service-Timestamp', '']] }), 401, 'missing_header');
  });

  test('signs bytes that are not UTF-8 as sent and refuses them as JSON', async () => {
    await expectCode(signed({ body: Buffer.from([0x7b, 0xff, 0x7d]) }), 400, 'INVALID_JSON');
  });

  test('reads a body of 64 KiB and refuses one more byte', async () => {
    const body = JSON.stringify({ amount: 1, currency: 'USD', order_id: randomUUID() });
    expect((await send(signed({ body: body.padEnd(65_536, ' ') }))).status).toBe(200);
    await expectCode(signed({ body: body.padEnd(65_537, ' ') }), 413, 'request_too_large');
  });

  test('refuses a body that is too large like every other error: with the version, and in the shape of its path', async () => {
    const body = ' '.repeat(65_537);
    const usual = await expectCode(signed({ body }), 413, 'request_too_large');
    expect([usual.headers['service-version'], usual.json.base]).toEqual([CURRENT_VERSION, undefined]);
    const path = '/v1/payment/sessions/cs_test_x/';
    const variant = await expectCode(signed({ path, body }), 413, 'request_too_large');
    expect(variant.json.base).toMatchObject({ code: 413 });
  });

  test('an Idempotency-Key may contain any printable character', async () => {
    const asked = () => signed({ body, headers: [['Idempotency-Key', 'order 7, part 2']] });
    const body = JSON.stringify({ amount: 1, currency: 'USD', order_id: randomUUID() });
    await db.pool.query('DELETE FROM idempotency_keys');
    const [first, second] = [await send(asked()), await send(asked())];
    expect([first.status, second.json]).toEqual([200, first.json]);
  });

  test.each([['text/plain'], ['application/json; charset=latin1'], [null]])(
    'Content-Type %s is refused',
    async (type) => {
      await expectCode(signed({ headers: [['Content-Type', type]] }), 400, 'unsupported_media_type');
    },
  );

  test('refuses an encoded body without decoding it', async () => {
    await expectCode(signed({ headers: [['Content-Encoding', 'gzip']] }), 400, 'unsupported_media_type');
  });

  test.each([
    ['/api'],
    ['/api/v1/nothing'],
    ['/api/v2/checkout/sessions/create'],
    ['/api/v1/checkout/sessions/%ff/cancel'],
  ])('there is nothing at %s', async (path) => {
    await expectCode(signed({ path }), 404, 'NOT_FOUND');
  });

  test('the response to a wrong method names the allowed ones', async () => {
    const answer = await expectCode(signed({ method: 'DELETE' }), 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('POST');
  });

  test('the test helpers do not exist without a sandbox', async () => {
    await expectCode(
      signed({ path: '/api/v1/test_helpers/networks/bsc/mine', body: '{"blocks":1}' }),
      404,
      'NOT_FOUND',
    );
  });
});

test('above its rate a key gets the time to retry, and another key is not delayed', async () => {
  const limited = openServices({
    ...testContext(db, clock, testConfig({ KEY_RATE: '1', KEY_BURST: '3' })),
    config: { ...config, KEY_RATE: 1, KEY_BURST: 3 },
  });
  const call = async (one: TestStore) => {
    store = one;
    const { method, path, headers, body } = signed();
    return answerAsNext(
      limited,
      new Request(`http://127.0.0.1:3000${path}`, { method, headers, body: new Uint8Array(body) }),
    );
  };
  const [first, second] = [store, await makeStore(db, config)];
  const answers = await Promise.all([1, 2, 3, 4].map(() => call(first)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[3]?.headers.get('retry-after')).toBe('1');
  expect((await call(second)).status).toBe(200);
});

test('a path that another reader would interpret differently is not canonical', () => {
  const tricks = [
    '/./api/v1',
    '/docs/../api/v1',
    '/docs/%2e%2E/api/v1',
    '/a/.%2e/b',
    '/a/..',
    '//api/v1',
    'http://evil.example/x',
    '/a\\..\\api',
    '/api//v1',
    '/pay/%E0%A4%A',
    '/pay/%',
    '',
  ];
  expect(tricks.filter(isCanonical)).toEqual([]);
  const plain = [
    '/',
    '/api/v1/checkout/sessions/create',
    '/pay/cs_test_1.2',
    '/.well-known/x',
    '/a/...',
    '/docs/..%2fapi',
    '/pay/%E2%82%AC',
    '/shop/',
  ];
  expect(plain.filter((path) => !isCanonical(path))).toEqual([]);
});
