// What the logs of web and worker say: one access line for each request, one line for each committed change, and by the id of an order,
// a session, a refund or a request the whole story of a payment. No line has a secret or what a stranger typed.

import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteChange } from '@/lib/platform/database/changes';
import { transaction } from '@/lib/platform/database/db';
import { inSavepoint } from '@/lib/platform/database/isolate';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { signedRequest } from '@/testing/fixtures';
import { openStoryScene } from '@/testing/payments/story-scene';
import { answer } from './answer';

type Line = Readonly<Record<string, unknown>> & { readonly msg: string };

/** The log of one process. */
function openFile(process: string) {
  const lines: string[] = [];
  const stream = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) });
  return { lines, log: pino({ base: { process } }, stream) };
}

const files = { web: openFile('web'), worker: openFile('worker') };
let db: TestDatabase;
let scene: Awaited<ReturnType<typeof openStoryScene>>;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openStoryScene(db, { web: files.web.log, worker: files.worker.log });
});
afterAll(async () => {
  await scene.close();
  await db.close();
});

const grep = (text: string): Line[] =>
  Object.values(files).flatMap(({ lines }) =>
    lines.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as Line),
  );
describe('the story of a payment', () => {
  let created: Awaited<ReturnType<typeof scene.call>>;
  let session: string;
  const order = `order-${randomUUID()}`;
  beforeAll(async () => {
    created = await scene.call('/api/v1/checkout/sessions/create', { amount: 1250, currency: 'USDT', order_id: order });
    session = created.body.id as string;
    await scene.pay(session, 12_500_000n);
  });
  const told = (lines: readonly Line[]) =>
    lines.map(({ process, msg, type }) => [process, msg, type].filter(Boolean).join(' '));
  const STORY = [
    'web session pending',
    'worker payment seen',
    'worker payment final',
    'worker session completed',
    'worker event recorded payment.completed',
    'worker delivery delivered payment.completed',
  ];

  it('is found by the id of its order, by that of the request that created it, and by its own', async () => {
    expect(created.status).toBe(200);
    expect(told(grep(order))).toEqual(STORY);
    expect(told(grep(created.requestId))).toEqual([STORY[0], 'web request', ...STORY.slice(1)]);
    expect(told(grep(session))).toEqual(STORY);
  });

  it('continues with its refund, which is found by the id of the refund request too', async () => {
    const asked = await scene.call('/api/v1/refunds/create', {
      refund_id: 'refund-1',
      session_id: session,
      amount: 500,
      currency: 'USDT',
    });
    expect(asked.status).toBe(201);
    expect((await scene.call('/api/v1/refunds/refund-1/cancel')).status).toBe(200);
    expect(told(grep(asked.requestId))).toEqual(['web refund pending', 'web request', 'web refund canceled']);
    expect(told(grep(order)).filter((line) => line.startsWith('web'))).toEqual([
      'web session pending',
      'web refund pending',
      'web refund canceled',
    ]);
    expect(grep('"refund-1"').map(({ msg }) => msg)).toEqual(['refund pending', 'refund canceled', 'request']);
  });
});

describe('an access line', () => {
  it('has who asked for what, and neither a secret nor a body nor a query', async () => {
    const { requestId } = await scene.call('/api/v1/checkout/sessions/create', {
      amount: 5,
      currency: 'USDT',
      order_id: 'a-secret-order',
      description: 'private',
    });
    const line = grep(requestId).find(({ msg }) => msg === 'request');
    expect(line).toEqual({
      ...{ level: 30, time: expect.any(Number) as number, process: 'web', msg: 'request', request_id: requestId },
      ...{ method: 'POST', route: '/api/v1/checkout/sessions/create', status: 200, ms: expect.any(Number) as number },
      ...{ store: scene.store.storeId, key: scene.store.keyId, environment: 'test' },
    });
    const all = Object.values(files)
      .flatMap(({ lines }) => lines)
      .join('');
    for (const secret of [scene.store.apiKey, scene.store.apiSecret, 'private']) expect(all).not.toContain(secret);
  });

  it('of a stranger has nothing that the stranger wrote', async () => {
    const request = signedRequest(
      { ...scene.store, apiKey: 'ak_test_wrong' },
      { path: '/api/v1/checkout/sessions/cs_typed-by-a-stranger', method: 'BREW', now: scene.clock.now() },
    );
    const { headers, status } = await answer(scene.services, request);
    const lines = grep(headers['X-Request-Id'] as string).filter(({ msg }) => msg === 'request');
    expect(lines).toMatchObject([{ method: 'other', status }]);
    expect(grep('stranger')).toEqual([]);
  });
});

describe('a change', () => {
  it('of a transaction or savepoint that rolls back leaves no line', async () => {
    const change = (id: string) => ({ of: 'session', to: 'completed', session: id }) as const;
    const refused = (): Promise<never> => Promise.reject(new Error('refused'));
    await transaction(db.pool, async (tx) => {
      noteChange(tx, change('kept-1'));
      await inSavepoint(tx, () => (noteChange(tx, change('undone-1')), refused())).catch(() => {});
      expect(grep('kept-1')).toEqual([]);
    });
    await transaction(db.pool, (tx) => (noteChange(tx, change('undone-2')), refused())).catch(() => {});
    expect(grep('kept-1')).toHaveLength(1);
    expect(grep('undone-')).toEqual([]);
  });
});
