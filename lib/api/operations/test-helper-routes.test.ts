// The sandbox's test helpers as merchants call them, with a stand-in for the sandbox process that records its requests.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '@/lib/platform/config/config';
import { openApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import { makeAddresses, makeStore, signedRequest, TestClock, testConfig, type TestStore } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { answer } from '@/lib/api/answer';
import type { Services } from '@/lib/api/services';
import { openSandboxStandIn, type SandboxStandIn } from '@/testing/sandbox-stand-in';

const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'] as const;
const HELPERS = '/api/v1/test_helpers';
const HASH = 'ab'.repeat(32);

/** The stand-in's next response, instead of its ordinary one. */
let refusal: string | null = null;
let sandbox: SandboxStandIn;
let asked: SandboxStandIn['asked'];
let config: Config;
let db: TestDatabase;
let services: Services;
let store: TestStore;
const clock = new TestClock();

beforeAll(async () => {
  sandbox = await openSandboxStandIn(answerTo);
  ({ asked } = sandbox);
  const nowhere = 'http://127.0.0.1:1';
  config = testConfig({ SANDBOX_ORIGIN: sandbox.url, TEST_TRON_URLS: nowhere, TEST_SOLANA_URLS: nowhere });
  ({ db, services } = await openApi({ clock, config, networks: NETWORKS, addresses: 0 }));
});
afterAll(async () => {
  await sandbox.close();
  await db.close();
});
beforeEach(async () => {
  asked.length = 0;
  refusal = null;
  store = await makeStore(db, config);
  await makeAddresses(db, 4);
});

function answerTo({ path, body }: SandboxStandIn['asked'][number]): [number, object] {
  if (refusal) return [400, { message: refusal }];
  const done = {
    '/control/pay': { transaction_hash: HASH, network: body.network },
    '/control/mine': { blocks: 3, tip: 9 },
  };
  return [200, done[path as keyof typeof done] ?? { depth: body.depth }];
}

async function post(path: string, body: object, from = store) {
  const request = signedRequest(from, { path, body: JSON.stringify(body), now: clock.now() });
  const { status, body: text } = await answer(services, request);
  return { status, json: JSON.parse(text) as Record<string, unknown> & { error?: { code: string } } };
}

async function newSession(amount = 1250): Promise<string> {
  const made = await post('/api/v1/checkout/sessions/create', { amount, currency: 'USD', order_id: randomUUID() });
  expect(made.status).toBe(200);
  return String(made.json.id);
}
const pay = (id: string, body: object, from = store) => post(`${HELPERS}/checkout/sessions/${id}/pay`, body, from);

describe('pay', () => {
  test.each(NETWORKS)("on %s goes to the session's own address of that network", async (network) => {
    const id = await newSession();
    const row = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    const own = { ethereum: row.evmAddress, bsc: row.evmAddress, tron: row.tronAddress, solana: row.solanaAddress };
    const paid = await pay(id, { network, currency: 'usdt' });
    expect(paid).toEqual({ status: 202, json: { transaction_hash: HASH, network } });
    const body = { network, currency: 'USDT', recipient: own[network], cents: 1250, scenario: 'exact' };
    expect(asked).toEqual([{ path: '/control/pay', body }]);
  });

  test('a partial payment is between nothing and the price, an over payment is more, and a given amount is paid exactly', async () => {
    const id = await newSession(1250);
    for (const body of [{ scenario: 'partial' }, { scenario: 'over' }, { scenario: 'partial', amount: 7 }]) {
      await pay(id, { network: 'tron', currency: 'USDT', ...body });
    }
    const [part, more, given] = asked.map(({ body }) => Number(body.cents));
    expect(part).toBeGreaterThan(0);
    expect(part).toBeLessThan(1250);
    expect(more).toBeGreaterThan(1250);
    expect(given).toBe(7);
  });

  test.each(NETWORKS)(
    'a batch on %s also pays another session of the store, at its address of that network',
    async (network) => {
      const [id, other] = [await newSession(), await newSession()];
      await pay(id, { network, currency: 'USDC', scenario: 'batch' });
      const row = await db.prisma.session.findUniqueOrThrow({ where: { id: other } });
      const own = { ethereum: row.evmAddress, bsc: row.evmAddress, tron: row.tronAddress, solana: row.solanaAddress };
      expect(asked[0]?.body.other).toEqual({ recipient: own[network], cents: 1 });
    },
  );

  test('what the chain cannot do is INVALID_PARAMETER with its reason', async () => {
    refusal = 'tron has no DAI';
    const paid = await pay(await newSession(), { network: 'tron', currency: 'DAI' });
    expect(paid).toMatchObject({ status: 400, json: { error: { code: 'INVALID_PARAMETER', message: refusal } } });
  });

  test('an unknown network or scenario is refused before a request is sent', async () => {
    const id = await newSession();
    const bodies = [
      { network: 'dogecoin', currency: 'USDT' },
      { network: 'tron', currency: 'USDT', scenario: 'magic' },
    ];
    for (const body of bodies) {
      expect((await pay(id, body)).json.error?.code).toBe('INVALID_PARAMETER');
    }
    expect(asked).toEqual([]);
  });

  test("another store's session is not found, and no request is sent", async () => {
    const id = await newSession();
    const paid = await pay(id, { network: 'solana', currency: 'USDT' }, await makeStore(db, config));
    expect([paid.status, paid.json.error?.code]).toEqual([404, 'SESSION_NOT_FOUND']);
    expect(asked).toEqual([]);
  });
});

test.each(NETWORKS)('mine and reorg reach %s', async (network) => {
  const mined = await post(`${HELPERS}/networks/${network}/mine`, { blocks: 3 });
  const replaced = await post(`${HELPERS}/networks/${network}/reorg`, { depth: 2 });
  expect([mined, replaced]).toEqual([
    { status: 200, json: { blocks: 3, tip: 9 } },
    { status: 200, json: { depth: 2 } },
  ]);
  expect(asked).toEqual([
    { path: '/control/mine', body: { network, blocks: 3 } },
    { path: '/control/reorg', body: { network, depth: 2 } },
  ]);
});

test('a reorganisation that a chain refuses is INVALID_PARAMETER', async () => {
  refusal = 'TRON never goes back behind a solid block';
  const replaced = await post(`${HELPERS}/networks/tron/reorg`, { depth: 40 });
  expect(replaced).toMatchObject({ status: 400, json: { error: { code: 'INVALID_PARAMETER', message: refusal } } });
});

test('expire moves the end of a session to now', async () => {
  const id = await newSession();
  const expired = await post(`${HELPERS}/checkout/sessions/${id}/expire`, {});
  expect(expired).toEqual({ status: 200, json: { id, expires_at: 1_800_000_000 } });
});

describe('age', () => {
  const DAY = 86_400;
  const age = (id: string, days: unknown, from = store) =>
    post(`${HELPERS}/checkout/sessions/${id}/age`, { days }, from);
  const rowOf = (id: string) => db.prisma.session.findUniqueOrThrow({ where: { id } });
  const paid = () => makePaidSession(db, { storeId: store.storeId, closedAt: clock.now(), cents: 300 });

  test('makes a paid session that many days old, however often it is called, and leaves its expiry unchanged', async () => {
    const id = await paid();
    const before = await rowOf(id);
    const at = 1_800_000_000 - 181 * DAY;
    for (const repeated of [await age(id, 181), await age(id, 181)])
      expect(repeated).toEqual({ status: 200, json: { id, created: at, paid_at: at } });
    const { closedAt, createdAt, ...others } = await rowOf(id);
    expect([closedAt, createdAt]).toEqual([new Date(at * 1000), new Date(at * 1000)]);
    expect(others).toEqual((({ closedAt: _closed, createdAt: _created, ...rest }) => rest)(before));
  });

  test('makes the ordinary rule refuse the refund, and nothing else', async () => {
    const id = await paid();
    const refund = () =>
      post('/api/v1/refunds/create', { session_id: id, refund_id: randomUUID(), amount: 100, currency: 'USDT' });
    await age(id, 180);
    expect((await refund()).status).toBe(201);
    await age(id, 181);
    expect((await refund()).json.error?.code).toBe('REFUND_TIME_EXPIRED');
  });

  test('refuses a session that is not paid, and leaves it unchanged', async () => {
    const id = await newSession();
    const before = await rowOf(id);
    expect((await age(id, 1)).json.error?.code).toBe('INVALID_PARAMETER');
    expect(await rowOf(id)).toEqual(before);
  });

  test.each([[0], [-1], [1.5], ['1'], [3652], [undefined]])('refuses %s days', async (days) => {
    const refused = await age(await paid(), days);
    expect([refused.status, refused.json.error?.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

  test("does not find another store's session", async () => {
    const id = await paid();
    const before = await rowOf(id);
    const refused = await age(id, 181, await makeStore(db, config));
    expect([refused.status, refused.json.error?.code]).toEqual([404, 'SESSION_NOT_FOUND']);
    expect(await rowOf(id)).toEqual(before);
  });

  test('does not exist for a live key', async () => {
    const live = await makeStore(db, config, 'live');
    const refused = await age(await paid(), 181, live);
    expect([refused.status, refused.json.error?.code]).toEqual([404, 'NOT_FOUND']);
  });
});
