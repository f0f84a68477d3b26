// What the step near the tip reads of the deposit addresses that hold money. It reads them every 20 seconds, and an installation that does not
// sweep has millions.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readPlan } from '@/testing/database/read-plan';
import { makeChain } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { readUnswept } from './unswept';

const ADDRESSES = 20_000;
const MOST = 50;

let db: TestDatabase;
let chainId: number;
beforeAll(async () => {
  db = await openTestDatabase();
  const [solana, other] = [await makeChain(db, 'solana', 1), await makeChain(db, 'bsc', 1)];
  chainId = solana;
  // Another network has the largest amounts.
  for (const [chain, factor] of [
    [solana, 1],
    [other, 1000],
  ]) {
    await insertMany(
      db.pool,
      ADDRESSES,
      (numbers) => `INSERT INTO deposit_balances (chain_id, address, currency, decimals, session_id, amount, since)
         SELECT $1, 'a' || n, 'USDT', 6, 's' || n, (n % 7919) * $2::int, now() FROM ${numbers}`,
      [chain, factor],
    );
  }
  await insertMany(
    db.pool,
    ADDRESSES,
    (numbers) => `INSERT INTO account_cursors (chain_id, account, owner, currency, amount)
       SELECT $1, 't' || n, 'a' || n, 'USDT', n % 7919 FROM ${numbers}`,
    [chainId],
  );
  await db.pool.query('ANALYZE deposit_balances, account_cursors');
});
afterAll(() => db.close());

it('reads the addresses with the largest amounts, and none of the others', async () => {
  const statements: { text: string; values: unknown[] }[] = [];
  const query = (statement: { text: string; values: unknown[] }) => {
    statements.push(statement);
    return db.pool.query(statement);
  };
  const found = await readUnswept({ query } as never, chainId, MOST);
  expect(found).toHaveLength(MOST);
  const amounts = found.flatMap(({ accountCursors }) => accountCursors.map(({ amount }) => amount));
  expect(amounts.every((amount) => amount > 7890n)).toBe(true);
  expect((await readPlan(db.pool, statements[0]!)).rowsRead).toBeLessThanOrEqual(MOST);
});
