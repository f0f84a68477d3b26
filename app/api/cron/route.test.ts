// The responses to a host's scheduler at /api/cron, through our own server over HTTP and through Next's route.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openFrontServer, sendTo, type FrontServer } from '@/testing/front-server';
import { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from './route';

const SECRET = 'a-secret-of-the-host';
const BEARER = `Bearer ${SECRET}`;
const OLD_NONCE = 'spent-long-ago';
const HANDLERS: Readonly<Record<string, typeof GET>> = { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT };
type Answered = { readonly status: number; readonly allow: string | null; readonly text: string };

let front: FrontServer;
beforeAll(async () => {
  front = await openFrontServer({ CRON_SECRET: SECRET });
  // Next's route opens this process's services, which are one set for all copies of the code (lib/api/services).
  Object.assign(globalThis, { stabletillServices: front.services });
});
afterAll(async () => {
  Reflect.deleteProperty(globalThis, 'stabletillServices');
  await front.close();
});
/** An expired nonce: every run deletes those. */
beforeEach(async () => {
  await front.db.pool.query(
    `INSERT INTO nonces (key_id, nonce, spent_at) VALUES ($1, $2, now() - interval '1 year') ON CONFLICT DO NOTHING`,
    [front.store.keyId, OLD_NONCE],
  );
});
const hasRun = async (): Promise<boolean> => (await front.db.prisma.nonce.count({ where: { nonce: OLD_NONCE } })) === 0;

async function throughServer(method: string, authorization: string | null, path = '/api/cron'): Promise<Answered> {
  const headers = [
    ['host', '127.0.0.1'] as const,
    ...(authorization ? [['authorization', authorization] as const] : []),
  ];
  const answered = await sendTo(front.port, { method, path, headers, body: Buffer.alloc(0) });
  return { status: answered.status, allow: answered.headers.allow ?? null, text: answered.text };
}

async function throughNext(method: string, authorization: string | null, path = '/api/cron'): Promise<Answered> {
  const handler = HANDLERS[method] as typeof GET;
  const headers = authorization ? { authorization } : {};
  const answered = await handler(new Request(`http://127.0.0.1:3000${path}`, { method, headers }));
  return { status: answered.status, allow: answered.headers.get('allow'), text: await answered.text() };
}

describe.each([
  ['our server', throughServer],
  ['Next', throughNext],
])('through %s', (_, call) => {
  test.each(['GET', 'POST'])('%s with the secret makes one run and returns the result of each step', async (method) => {
    const { status, text } = await call(method, BEARER);
    const { steps } = JSON.parse(text) as { steps: { name: string; failed: boolean }[] };
    expect(status).toBe(200);
    expect(steps).toContainEqual({ name: 'clear what is spent', runs: 1, more: false, failed: false });
    expect(await hasRun()).toBe(true);
  });

  test('a trailing slash is ignored', async () => {
    expect((await call('GET', BEARER, '/api/cron/')).status).toBe(200);
  });

  test.each([
    ['GET', null],
    ['GET', 'Bearer wrong'],
    ['POST', null],
  ])('%s with the credentials %s is 401 and runs nothing', async (method, authorization) => {
    expect((await call(method, authorization)).status).toBe(401);
    expect(await hasRun()).toBe(false);
  });

  test.each(['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is 405, names GET and POST, and runs nothing',
    async (method) => {
      const { status, allow } = await call(method, BEARER);
      expect([status, allow]).toEqual([405, 'GET, POST']);
      expect(await hasRun()).toBe(false);
    },
  );

  test('a run with a failed step returns 500 with the same fields', async () => {
    await front.db.pool.query('ALTER TABLE idempotency_keys RENAME TO unreachable');
    try {
      const { status, text } = await call('GET', BEARER);
      const { steps } = JSON.parse(text) as { steps: { name: string; failed: boolean }[] };
      expect(status).toBe(500);
      expect(steps.filter(({ failed }) => failed).map(({ name }) => name)).toEqual(['clear what is spent']);
    } finally {
      await front.db.pool.query('ALTER TABLE unreachable RENAME TO idempotency_keys');
    }
  });
});
