// The look for due addresses costs the same however many addresses were ever paid.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readPlan } from '@/testing/database/read-plan';
import { makeChain, makeStore, testConfig } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { findDueAddresses } from './due-addresses';

const PENDING = 400;
const PAID = 20_000;

let db: TestDatabase;
let chainId: number;

beforeAll(async () => {
  db = await openTestDatabase();
  const { storeId } = await makeStore(db, testConfig());
  chainId = await makeChain(db, 'solana', 1_800_000_000);
  await insertMany(
    db.pool,
    PENDING,
    (
      numbers,
    ) => `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks, created_at,
        expires_at, address_index, evm_address, tron_address, solana_address)
      SELECT 'cs_test_' || lpad(n::text, 22, '0'), $1, 'test', n::text, 5, 'USD', 5, '{USDT}', '{solana}', now(), now(), n, 'e' || n, 't' || n,
        's' || n FROM ${numbers}`,
    [storeId],
  );
  await insertMany(
    db.pool,
    PAID,
    (numbers) => `INSERT INTO account_cursors (chain_id, account, owner, currency, amount)
      SELECT $1::int, 'account' || n, 'owner' || n, 'USDC', 0 FROM ${numbers}`,
    [chainId],
  );
  await db.pool.query('ANALYZE sessions, account_cursors');
});
afterAll(() => db.close());

test('reads the token accounts of due addresses only', async () => {
  const plans: Awaited<ReturnType<typeof readPlan>>[] = [];
  const explaining = {
    query: async (statement: { text: string; values: unknown[] }) => {
      plans.push(await readPlan(db.pool, statement));
      return { rows: [] };
    },
  };
  const at = { chainId, through: -1, now: new Date(), openOnly: false };
  await findDueAddresses(explaining as never, { environment: 'test', network: 'solana' }, at);
  expect(plans).toHaveLength(1);
  expect(plans[0]?.rowsRead).toBeLessThanOrEqual(2 * PENDING);
});
