// What the logs of web and worker say: one access line for each request, one line for each committed change, and by the id of an order,
// a session, a refund or a request the whole story of a payment. No line has a secret or what a stranger typed.

import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { proveTransfers, storeTransfers, storeUnconfirmed } from '@/lib/payments/watcher/transfers/store';
import { logChanges, noteChange } from '@/lib/platform/database/changes';
import { openPool, transaction, type Pool } from '@/lib/platform/database/db';
import { inSavepoint } from '@/lib/platform/database/isolate';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { deliverBatch } from '@/lib/webhooks/delivery/deliver';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeChain,
  makeStore,
  signedRequest,
  TestClock,
  testConfig,
  testContext,
  type TestStore,
} from '@/testing/fixtures';
import { proveBalances } from '@/testing/payments/proven-balances';
import { openReceiver, type Receiver } from '@/testing/receivers/receiver';
import { answer } from './answer';
import { openServices, type Services } from './services';

type Line = Readonly<Record<string, unknown>> & { readonly msg: string };

/** The log of one process. */
function openFile(process: string) {
  const lines: string[] = [];
  const stream = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) });
  return { lines, log: pino({ base: { process } }, stream) };
}

const clock = new TestClock();
const config = testConfig();
const files = { web: openFile('web'), worker: openFile('worker') };
let db: TestDatabase;
let workerPool: Pool;
let store: TestStore;
let services: Services;
let receiver: Receiver;
let chainId: number;

beforeAll(async () => {
  db = await openTestDatabase();
  workerPool = openPool(db.url, 5);
  logChanges(db.pool, files.web.log);
  logChanges(workerPool, files.worker.log);
  services = openServices({ ...testContext(db, clock, config), log: files.web.log });
  chainId = await makeChain(db, 'ethereum', clock.now().getTime() / 1000);
  await makeAddresses(db, 9);
  store = await makeStore(db, config);
  receiver = await openReceiver();
  await setWebhookEndpoint(services, { storeId: store.storeId, environment: 'test', url: receiver.url });
});
afterAll(async () => {
  await receiver.close();
  await workerPool.end();
  await db.close();
});

const grep = (text: string): Line[] =>
  Object.values(files).flatMap(({ lines }) =>
    lines.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as Line),
  );
const call = async (path: string, body?: object, method = 'POST') => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answered = await answer(services, signedRequest(store, { path, method, now: clock.now(), ...sent }));
  return {
    status: answered.status,
    requestId: answered.headers['X-Request-Id'] as string,
    body: JSON.parse(answered.body) as Record<string, unknown>,
  };
};

/** As the watcher does: seen first, final later, then settled and told. */
async function pay(session: string, units: bigint): Promise<void> {
  const { rows } = await db.pool.query<{ evm_address: string }>('SELECT evm_address FROM sessions WHERE id = $1', [
    session,
  ]);
  const spec = networkSpec('test', 'ethereum', 'local');
  if (!spec) throw new Error('the sandbox has Ethereum');
  const transfer = {
    ...{
      sessionId: session,
      transactionHash: `0x${randomUUID().replaceAll('-', '')}`,
      ordinal: 0,
      blockNumber: 95,
      blockHash: '0xb',
    },
    ...{
      blockTime: clock.now().getTime() / 1000,
      currency: 'USDT',
      contract: spec.tokens.USDT?.contract as string,
      isPlain: true,
    },
    ...{ payer: `0x${'1'.repeat(40)}`, recipient: rows[0]?.evm_address as string, amount: units },
  };
  const now = clock.now();
  const found = { chainId, foundTransfers: [transfer], now };
  await transaction(workerPool, (tx) => storeUnconfirmed(tx, { ...found, log: files.worker.log }));
  const proven = await proveTransfers(workerPool, spec, { ...found, evidenceKey: config.EVIDENCE_KEY });
  await proveBalances(db.pool);
  await transaction(workerPool, async (tx) => {
    await storeTransfers(tx, proven, now);
    await settleSessions(tx, [session], { now, log: files.worker.log });
  });
  await deliverBatch({ ...testContext(db, clock, config), pool: workerPool, log: files.worker.log });
}

describe('the story of a payment', () => {
  let created: Awaited<ReturnType<typeof call>>;
  let session: string;
  const order = `order-${randomUUID()}`;
  beforeAll(async () => {
    created = await call('/api/v1/checkout/sessions/create', { amount: 1250, currency: 'USDT', order_id: order });
    session = created.body.id as string;
    await pay(session, 12_500_000n);
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
    const asked = await call('/api/v1/refunds/create', {
      refund_id: 'refund-1',
      session_id: session,
      amount: 500,
      currency: 'USDT',
    });
    expect(asked.status).toBe(201);
    expect((await call('/api/v1/refunds/refund-1/cancel')).status).toBe(200);
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
    const { requestId } = await call('/api/v1/checkout/sessions/create', {
      amount: 5,
      currency: 'USDT',
      order_id: 'a-secret-order',
      description: 'private',
    });
    const line = grep(requestId).find(({ msg }) => msg === 'request');
    expect(line).toEqual({
      ...{ level: 30, time: expect.any(Number) as number, process: 'web', msg: 'request', request_id: requestId },
      ...{ method: 'POST', route: '/api/v1/checkout/sessions/create', status: 200, ms: expect.any(Number) as number },
      ...{ store: store.storeId, key: store.keyId, environment: 'test' },
    });
    const all = Object.values(files)
      .flatMap(({ lines }) => lines)
      .join('');
    for (const secret of [store.apiKey, store.apiSecret, 'private']) expect(all).not.toContain(secret);
  });

  it('of a stranger has nothing that the stranger wrote', async () => {
    const request = signedRequest(
      { ...store, apiKey: 'ak_test_wrong' },
      { path: '/api/v1/checkout/sessions/cs_typed-by-a-stranger', method: 'BREW', now: clock.now() },
    );
    const { headers, status } = await answer(services, request);
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
