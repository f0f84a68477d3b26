// Claiming a deposit address: which one is claimed, at a cost that does not grow with the claimed ones.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { MerchantKey } from '@/lib/merchants/api-keys/verify-key';
import { newSessionId, type Environment } from '@/lib/platform/ids';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig } from '@/testing/fixtures';
import { createStatement } from './create/statement';

const NOW = new Date(1_800_000_000_000);
let db: TestDatabase | undefined;
let key: MerchantKey;

afterAll(() => db?.close());
beforeEach(async () => {
  await db?.close();
  db = await openTestDatabase();
  const { keyId, storeId } = await makeStore(db, testConfig());
  key = { id: keyId, storeId, environment: 'test', acceptsOtherToken: false } as MerchantKey;
  await makeChain(db, 'ethereum', 1_800_000_000);
});

const database = (): TestDatabase => db as TestDatabase;
const statement = () =>
  createStatement(
    { key, nonce: randomUUID() },
    {
      id: newSessionId('test'),
      request: { amount: 5, currency: 'USD', order_id: randomUUID(), expires_in: 1800 },
      price: { amountTotal: 5n, currency: 'USD', amountDue: 5n, currencies: ['USDT'], conversion: null },
      createdAt: NOW,
      expiresAt: NOW,
      answer: '{}',
      idempotency: null,
      networks: ['ethereum'],
      pairs: ['ethereum-USDT'],
    },
  );

/** Free addresses of the test environment. */
const free = (from: number, to: number) =>
  database().pool.query(
    `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address)
     SELECT 'test', n, '0x' || n, 'T' || n, 'S' || n FROM generate_series($1::int, $2::int) n`,
    [from, to],
  );
/** Sessions with earlier claimed addresses. */
const claimed = (environment: Environment, from: number, to: number) =>
  database().pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address)
     SELECT 'cs_' || $1::text || '_' || n, $2, $1::"Environment", n::text, 5, 'USD', 5, '{USDT}', '{bsc}', now(), now(), n, '0x' || n, 'T' || n, 'S' || n
     FROM generate_series($3::int, $4::int) n`,
    [environment, key.storeId, from, to],
  );
async function claim(): Promise<number | null> {
  const create = statement();
  const { rows } = await database().pool.query(create);
  if (!rows[0].made) return null;
  const made = await database().prisma.session.findUniqueOrThrow({ where: { id: create.values[2] as string } });
  return made.addressIndex;
}

type Node = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number; Plans?: Node[] };
/** Pages that a create reads: about 140, mostly of the indexes that it writes. Skipping 29,900 entries reads thousands. */
const MAX_PAGES = 300;

async function pagesOfCreate(): Promise<number> {
  const { text, values } = statement();
  const { rows } = await database().pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  const { Plan: plan } = rows[0]['QUERY PLAN'][0] as { Plan: Node };
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

test('addresses are claimed in order, each once', async () => {
  await free(10, 12);
  expect([await claim(), await claim(), await claim(), await claim()]).toEqual([10, 11, 12, null]);
});

test('a released address is claimed before newer ones', async () => {
  await claimed('test', 500, 500);
  await free(450, 450);
  await free(501, 501);
  expect([await claim(), await claim()]).toEqual([450, 501]);
});

test('the lowest addresses are claimed when no other is left, so none stays unused', async () => {
  await claimed('test', 5000, 5000);
  await free(1, 2);
  await free(5001, 5001);
  expect([await claim(), await claim(), await claim(), await claim()]).toEqual([5001, 1, 2, null]);
});

test('a claim does not search among addresses that were claimed before', async () => {
  await free(1, 30_000);
  await claimed('test', 1, 29_900);
  await database().pool.query('ANALYZE');
  // An open transaction in another connection, so that vacuum cannot remove deleted rows.
  const reader = await database().pool.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM address_pool LIMIT 1');
  await database().pool.query('DELETE FROM address_pool WHERE address_index <= 29900');
  const pages = await pagesOfCreate();
  await reader.query('COMMIT');
  reader.release();
  expect(pages).toBeLessThan(MAX_PAGES);
});

test('the few sessions of an environment are not searched among the many of the other', async () => {
  await claimed('test', 1, 3);
  await claimed('live', 1000, 40_000);
  await free(50_000, 50_010);
  await database().pool.query('ANALYZE');
  expect(await pagesOfCreate()).toBeLessThan(MAX_PAGES);
});
