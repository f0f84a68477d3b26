import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChainAdapter, TransactionReport } from '@/lib/networks/chain';
import { networkSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, signedRequest, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { answer } from './answer';
import { answerPublicFind, findForPage } from './public/find';
import { openServices, type Services } from './services';

const START = EXPIRES - 600;
const spec = networkSpec('test', 'ethereum', 'local')!;
const config = testConfig();
const clock = openTestClock(START);
let db: TestDatabase;
let store: TestStore;
let world: ReturnType<typeof openSettledSessions>;
let services: Services;
let report: TransactionReport | null;
let hash: string;
let sessionId: string;

beforeAll(async () => {
  db = await openTestDatabase();
  store = await makeStore(db, config);
  world = openSettledSessions(db, clock, { ethereum: await makeChain(db, 'ethereum', START) });
});
afterAll(() => db.close());
beforeEach(async () => {
  clock.set(START + 60);
  await db.pool.query('UPDATE chains SET scanned_at = $1', [clock.now()]);
  hash = `0x${randomBytes(32).toString('hex')}`;
  sessionId = await world.make(store.storeId);
  const recipient = (await world.read(sessionId)).evmAddress;
  const contract = spec.tokens.USDT!.contract;
  report = {
    transactionHash: hash,
    succeeded: true,
    block: { number: 80, hash: '0xb', parentHash: '0xa', time: START + 5 },
    confirmations: 2,
    missing: 3,
    movements: [{ contract, currency: 'USDT', payer: '0xp', recipient, amount: 5_000_000n }],
  };
  const never = () => Promise.reject(new Error('the finder only looks up'));
  const lookup = () => Promise.resolve(report);
  const adapter: ChainAdapter = {
    readsBlocks: true,
    genesis: never,
    head: never,
    block: never,
    agreed: never,
    scan: never,
    lookup,
  };
  const chain: FollowedChain = { environment: 'test', network: 'ethereum', spec, adapter };
  services = openServices(testContext(db, clock, config), () => [chain]);
});

const publicly = async (query: string, over: { sessionId?: string; address?: string } = {}) => {
  const { status, headers, body } = await answerPublicFind(services, {
    sessionId,
    query,
    address: '203.0.113.9',
    ...over,
  });
  return { status, headers, body: JSON.parse(body) };
};
const signed = async (query: string, by = store, id = sessionId) => {
  const path = `/api/v1/checkout/sessions/${id}/find`;
  const request = signedRequest(by, { method: 'GET', path, now: clock.now() });
  const { status, body } = await answer(services, { ...request, query });
  return { status, body: JSON.parse(body) };
};
const WAITING = {
  verdict: 'waiting',
  message: 'This payment was found: 5.00 USDT on Ethereum. It counts after 3 more blocks. 7.50 USDT is still missing.',
  network: 'ethereum',
  currency: 'USDT',
  amount: '5.00',
  confirmations: 2,
  blocks_missing: 3,
  short_by: '7.50',
};

describe('customer and merchant get the same result', () => {
  test('in codes and in text', async () => {
    const expected = { session_id: sessionId, transaction_hash: hash, ...WAITING };
    const told = await publicly(`transaction=${hash}`);
    expect(told).toMatchObject({ status: 200, body: expected });
    expect(told.headers['Cache-Control']).toBe('no-store');
    expect(await signed(`transaction=${hash}`)).toEqual({ status: 200, body: expected });
  });

  test('from a link, when no chain knows it, and when it is no hash', async () => {
    const link = encodeURIComponent(`https://etherscan.io/tx/${hash}#eventlog`);
    expect((await publicly(`transaction=${link}`)).body).toMatchObject({ verdict: 'waiting', transaction_hash: hash });
    clock.advance(3000);
    report = null;
    expect((await signed(`transaction=${hash}`)).body).toMatchObject({
      verdict: 'not_found',
      networks_asked: ['ethereum'],
      networks_unanswered: [],
    });
    const { body } = await publicly('transaction=hello');
    expect(body).toEqual({
      session_id: sessionId,
      verdict: 'unreadable',
      message: expect.stringMatching(/not the hash/),
    });
  });
});

describe('what is refused', () => {
  test.each([
    ['nothing', ''],
    ['an empty text', 'transaction='],
    ['a space', 'transaction=%20'],
    ['another parameter', 'hash=0x'],
    ['more than any link', `transaction=${'a'.repeat(501)}`],
    ['two transactions', 'transaction=a&transaction=b'],
  ])('a request with %s', async (_, query) => {
    const expected = { status: 400, body: { error: { code: 'INVALID_PARAMETER', param: 'transaction' } } };
    expect(await publicly(query)).toMatchObject(expected);
    expect(await signed(query)).toMatchObject(expected);
  });

  test('an unknown session, and for a merchant another store’s', async () => {
    const gone = { status: 404, body: { error: { code: 'SESSION_NOT_FOUND' } } };
    for (const id of ['cs_test_0000000000000000000000', 'x', '..']) {
      expect(await publicly(`transaction=${hash}`, { sessionId: id })).toMatchObject(gone);
    }
    expect(await signed(`transaction=${hash}`, await makeStore(db, config))).toMatchObject(gone);
  });

  test('more than ten requests at once, with the time to retry; the page says so in text', async () => {
    for (let n = 0; n < 10; n++) await publicly(`transaction=${hash}`);
    const limited = await publicly(`transaction=${hash}`);
    expect(limited).toMatchObject({
      status: 429,
      headers: { 'Retry-After': '1' },
      body: { error: { code: 'RATE_LIMITED' } },
    });
    const asked = await findForPage(services, { sessionId, transaction: hash, address: '203.0.113.9' });
    expect(asked).toEqual({ text: hash, waitSeconds: 1 });
  });
});

test('the page sends no request without a transaction', async () => {
  const page = (transaction: string | string[] | undefined) =>
    findForPage(services, { sessionId, transaction, address: '203.0.113.9' });
  for (const nothing of [undefined, '', '  ', [hash, hash]]) expect(await page(nothing)).toBeNull();
  expect(await page(` ${hash}\n`)).toMatchObject({ text: hash, found: { result: { verdict: 'waiting' } } });
});

test('opens no chain until the first request', async () => {
  const opened: string[] = [];
  const lazy = openServices(testContext(db, clock, config), () => {
    opened.push('opened');
    return [];
  });
  expect(opened).toEqual([]);
  await findForPage(lazy, { sessionId, transaction: hash, address: '203.0.113.9' });
  expect(opened).toEqual(['opened']);
});
