// Creates that wait at the same moment become one statement, with the same result for each of them as alone.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newSessionId } from '@/lib/platform/ids';
import type { MerchantKey } from '@/lib/merchants/api-keys/verify-key';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeAddresses, makeChain, makeStore, TestClock, testConfig } from '@/testing/fixtures';
import { createInGroup } from './groups';
import type { KeyedSession } from './group-statement';
import type { NewSession } from './statement';

const ADDRESSES = 300;
const clock = new TestClock();

let db: TestDatabase | undefined;
let key: MerchantKey;
let statements: string[];

afterAll(() => db?.close());
beforeEach(async () => {
  await db?.close();
  db = await openTestDatabase();
  key = await storeKey();
  await makeChain(db, 'ethereum', 1_800_000_000);
  await makeAddresses(db, ADDRESSES);
  statements = [];
  const { pool } = db;
  const query = pool.query.bind(pool) as (statement: unknown) => Promise<unknown>;
  pool.query = ((statement: { name?: string }) => {
    if (statement.name?.startsWith('create-session')) statements.push(statement.name);
    return query(statement);
  }) as typeof pool.query;
});

const database = (): TestDatabase => db as TestDatabase;

async function storeKey(): Promise<MerchantKey> {
  const { keyId, storeId } = await makeStore(database(), testConfig());
  return { id: keyId, storeId, environment: 'test', acceptsOtherToken: false } as MerchantKey;
}

type Order = Partial<NewSession['request']> & {
  readonly of?: MerchantKey;
  readonly nonce?: string;
  readonly idempotencyKey?: string;
  readonly due?: bigint;
};

function call({ of = key, nonce = randomUUID(), idempotencyKey, due = 1000n, ...request }: Order = {}): KeyedSession {
  const id = newSessionId('test');
  return {
    caller: { key: of, nonce },
    session: {
      id,
      request: { amount: Number(due), currency: 'USD', order_id: randomUUID(), expires_in: 1800, ...request },
      price: { amountTotal: due, currency: 'USD', amountDue: due, currencies: ['USDT', 'USDC'], conversion: null },
      createdAt: clock.now(),
      expiresAt: clock.now(),
      answer: `{"id":"${id}"}`,
      idempotency: idempotencyKey ? { key: idempotencyKey, requestHash: Buffer.from(idempotencyKey) } : null,
      networks: ['ethereum', 'bsc'],
      pairs: ['ethereum-USDT', 'bsc-USDT'],
      requestId: 'req_1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  };
}

/** All at once; for each `made`, `repeated`, `refused` or the error's code. */
const createAll = (calls: readonly KeyedSession[]): Promise<string[]> =>
  Promise.all(
    calls.map((one) =>
      createInGroup(database().pool, one).then(
        ({ made, earlier_answer: earlier }) => (made ? 'made' : earlier === null ? 'refused' : 'repeated'),
        (error: unknown) => (error instanceof ServiceError ? error.code : (error as Error).message),
      ),
    ),
  );

const stored = () => database().prisma.session.findMany({ orderBy: { addressIndex: 'asc' } });

test('a create that finds no other under way is sent at once, by its own statement', async () => {
  expect(await createAll([call()])).toEqual(['made']);
  expect(statements).toEqual(['create-session']);
});

test('a hundred creates at once take two statements of one and two of many, and each has an address to itself', async () => {
  const calls = Array.from({ length: 100 }, () => call({ idempotencyKey: randomUUID() }));
  expect(new Set(await createAll(calls))).toEqual(new Set(['made']));
  expect(statements).toEqual(['create-session', 'create-session', 'create-sessions', 'create-sessions']);
  const rows = await stored();
  expect(new Set(rows.map((one) => one.evmAddress)).size).toBe(100);
  expect(await database().prisma.addressPoolEntry.count()).toBe(ADDRESSES - 100);
  expect(await database().prisma.nonce.count()).toBe(100);
  expect(await database().prisma.idempotencyKey.count()).toBe(100);
});

test('a session of a group is stored with every field as one that is created alone', async () => {
  const full: Order = {
    description: 'Two “lamps” \\ and a\ttab',
    line_items: [{ price_data: { currency: 'USD', unit_amount: 500, product_data: { name: 'Lamp' } }, quantity: 2 }],
    tax_amount: 12,
    shipping_amount: 9_007_199_254_740_991,
    success_url: 'https://shop.example/thanks?a=1&b=2',
    cancel_url: 'https://shop.example/cart',
    metadata: { b: '1', a: '2', z: '{"x":[1,2]}' },
    due: 9_223_372_036_854_775n,
  };
  const alone = call(full);
  await createInGroup(database().pool, alone);
  const grouped = Array.from({ length: 9 }, () => call(full));
  await createAll(grouped);
  expect(statements).toContain('create-sessions');
  const { rows } = await database().pool.query<{ row: Record<string, unknown>; line_items: string; metadata: string }>({
    text: `SELECT to_jsonb(s) - '{id,order_id,address_index,evm_address,tron_address,tron_factory,solana_address}'::text[] AS row,
      line_items::text, metadata::text FROM sessions s`,
  });
  expect(rows).toHaveLength(10);
  for (const one of rows) expect(one).toEqual(rows[0]);
});

test.each([
  ['a spent nonce', { nonce: 'spent' }, 'nonce_reused'],
  ['an order that exists', { order_id: 'taken' }, /sessions_store_id_environment_order_id_key/],
  ['an idempotency key with an answer', { idempotencyKey: 'answered' }, 'repeated'],
] as const)('%s in a group has its own answer, and all its neighbours are created', async (_name, order, answer) => {
  await createAll([call({ nonce: 'spent', order_id: 'taken', idempotencyKey: 'answered' })]);
  const calls = Array.from({ length: 20 }, (_, n) => call(n === 11 ? order : {}));
  const answers = await createAll(calls);
  expect(answers[11]).toMatch(answer);
  expect(answers.filter((one) => one === 'made')).toHaveLength(19);
  expect(await stored()).toHaveLength(20);
});

test('a revoked key, a suspended store and a session above a limit are refused in a group, and no neighbour is', async () => {
  const [revoked, suspended, limited, daily] = [await storeKey(), await storeKey(), await storeKey(), await storeKey()];
  const { prisma } = database();
  await prisma.apiKey.update({ where: { id: revoked.id }, data: { revokedAt: new Date(0) } });
  await prisma.store.update({ where: { id: suspended.storeId }, data: { status: 'suspended' } });
  await prisma.store.update({ where: { id: limited.storeId }, data: { sessionLimit: 999n } });
  await prisma.store.update({ where: { id: daily.storeId }, data: { dayLimit: 2500n } });
  const keys = [key, key, key, revoked, suspended, limited, daily, daily, daily, key];
  const answers = await createAll(keys.map((of) => call({ of })));
  expect(answers.slice(3, 6)).toEqual(['invalid_api_key', 'store_not_active', 'refused']);
  expect(answers.slice(6, 9).toSorted()).toEqual(['made', 'made', 'refused']);
  expect([...answers.slice(0, 3), answers[9]]).toEqual(['made', 'made', 'made', 'made']);
});

test('text that PostgreSQL cannot store refuses its own call, and its neighbours are created', async () => {
  const answers = await createAll(Array.from({ length: 10 }, (_, n) => call(n === 5 ? { description: '\0' } : {})));
  expect(answers[5]).toMatch(/invalid byte sequence|unsupported Unicode/);
  expect(answers.filter((one) => one === 'made')).toHaveLength(9);
  expect(await stored()).toHaveLength(9);
});

test('a key whose call refused a group is sent alone for a while, and groups of other stores go on', async () => {
  const other = await storeKey();
  await createAll(Array.from({ length: 10 }, (_, n) => call(n === 5 ? { of: other, description: '\0' } : {})));
  statements.length = 0;
  const answers = await createAll(Array.from({ length: 20 }, (_, n) => call({ of: n % 2 === 0 ? other : key })));
  expect(new Set(answers)).toEqual(new Set(['made']));
  expect(statements.filter((one) => one === 'create-session').length).toBeGreaterThanOrEqual(11);
  expect(statements.filter((one) => one === 'create-sessions')).toHaveLength(1);
});

test('copies of calls in groups and alone at the same time end without waiting for each other', async () => {
  const orders = Array.from({ length: 30 }, () => ({ order_id: randomUUID(), nonce: randomUUID() }));
  const { pool } = database();
  const second = new Proxy(pool, {});
  const copies = (on: typeof pool) =>
    orders.map((order) =>
      createInGroup(on, call(order)).then(
        ({ made }) => made,
        () => false,
      ),
    );
  const [ones, others] = await Promise.all([Promise.all(copies(pool)), Promise.all(copies(second))]);
  expect(ones.map((made, n) => Number(made) + Number(others[n]))).toEqual(orders.map(() => 1));
  const { rows } = await pool.query<{ deadlocks: string }>(
    'SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks: '0' }]);
});

test('fifty copies of one call at once create one session; all others have its answer or find the order', async () => {
  const copies = Array.from({ length: 50 }, () => call({ order_id: 'one', idempotencyKey: 'one' }));
  const answers = await createAll(copies);
  expect(answers.filter((one) => one === 'made')).toHaveLength(1);
  expect(await stored()).toHaveLength(1);
});

test('with fewer addresses than calls, only the calls without an address are refused, and their nonces are spent by their own statement', async () => {
  await database().pool.query({
    text: 'DELETE FROM address_pool WHERE address_index NOT IN (SELECT address_index FROM address_pool ORDER BY 1 LIMIT 7)',
  });
  const answers = await createAll(Array.from({ length: 12 }, () => call()));
  const made = (await stored()).length;
  expect(answers.filter((one) => one === 'made')).toHaveLength(made);
  expect(made).toBe(7);
});

test('a connection that breaks during a group fails all of it, because it may have been stored', async () => {
  const { pool } = database();
  const query = pool.query.bind(pool) as (statement: unknown) => Promise<unknown>;
  pool.query = ((statement: { name?: string }) =>
    statement.name === 'create-sessions'
      ? query(statement).then(() => Promise.reject(new Error('Connection terminated unexpectedly')))
      : query(statement)) as typeof pool.query;
  const answers = await createAll(Array.from({ length: 10 }, () => call()));
  expect(answers.filter((one) => one === 'Connection terminated unexpectedly')).toHaveLength(8);
  expect(statements.filter((one) => one === 'create-session')).toHaveLength(2);
});
