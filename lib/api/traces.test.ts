// Traces as a collector gets them by OTLP over HTTP: one from the caller through the request, its session, payment, event and delivery,
// although the worker does the later parts from rows alone.

import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '@/lib/platform/log';
import { startTracing, tracing } from '@/lib/platform/tracing/tracing';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig } from '@/testing/fixtures';
import { openStoryScene } from '@/testing/payments/story-scene';
import { openServer, type OpenedServer } from '@/testing/server';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };
type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
};
type Sent = {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
};

const received: Span[] = [];
let collector: OpenedServer;
let db: TestDatabase;
let scene: Awaited<ReturnType<typeof openStoryScene>>;
beforeAll(async () => {
  collector = await openServer(
    http.createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        if (request.url === '/v1/traces')
          received.push(
            ...(JSON.parse(body) as Sent).resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans }) => spans)),
          );
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    }),
  );
  db = await openTestDatabase();
  const log = openLog('test', 'silent');
  scene = await openStoryScene(db, { web: log, worker: log });
});
afterAll(async () => {
  await scene.close();
  await db.close();
  await collector.close();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const create = (headers: Record<string, string> = {}) =>
  scene.call('/api/v1/checkout/sessions/create', { amount: 1250, currency: 'USDT', order_id: randomUUID() }, headers);
const stored = async (id: unknown) =>
  (await db.pool.query<{ traceparent: string | null }>('SELECT traceparent FROM sessions WHERE id = $1', [id])).rows[0]
    ?.traceparent;

describe('without a collector in the settings', () => {
  it('nothing is traced, and rows keep no context', async () => {
    expect(await startTracing(testConfig(), 'web')).toBeNull();
    const { body } = await create({ traceparent: `00-${TRACE}-${CALLER}-01` });
    expect([tracing(), await stored(body.id)]).toEqual([null, null]);
  });
});

describe('with a collector', () => {
  it('one trace has the request, the session, its payment, its event and the delivery, and none of their secrets', async () => {
    const traces = await startTracing(testConfig({ TRACES_URL: collector.url }), 'web');
    const { body, requestId } = await create({ traceparent: `00-${TRACE}-${CALLER}-01` });
    await scene.pay(body.id as string, 12_500_000n);
    const other = await create({ traceparent: 'not-one' });
    await traces?.stop();

    const own = received.filter(({ traceId }) => traceId === TRACE);
    const request = own.find(({ name }) => name.startsWith('POST'));
    expect(request).toMatchObject({ name: 'POST /api/v1/checkout/sessions/create', parentSpanId: CALLER });
    expect(request?.attributes).toContainEqual({ key: 'request_id', value: { stringValue: requestId } });
    const others = own.filter((span) => span !== request);
    expect(others.map(({ name }) => name)).toEqual([
      'session pending',
      'payment seen',
      'payment final',
      'session completed',
      'event recorded',
      'delivery delivered',
    ]);
    expect(new Set(others.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request?.spanId]));
    expect(await stored(other.body.id)).toMatch(/^00-(?!4bf92f)[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const text = JSON.stringify(received);
    for (const secret of [scene.store.apiKey, scene.store.apiSecret]) expect(text).not.toContain(secret);
  });

  it('that is away costs its spans only', async () => {
    const traces = await startTracing(testConfig({ TRACES_URL: 'http://127.0.0.1:1' }), 'web');
    expect((await create()).status).toBe(200);
    await traces?.stop();
  });
});
