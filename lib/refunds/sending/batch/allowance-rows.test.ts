// What is stored of changes of the allowance, on a real database.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testContext } from '@/testing/fixtures';
import { markInBlock, settleAllowances } from './allowance-rows';

let db: TestDatabase;
const clock = new TestClock();
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it('a final change keeps its fee although a lagging endpoint does not know its block', async () => {
  const chainId = await makeChain(db, 'ethereum', clock.now().getTime() / 1000);
  await db.pool.query(
    `INSERT INTO allowance_transactions (chain_id, hash, wallet, nonce, currency, is_reset, signed_at)
     VALUES ($1, '0xa', '0xb', 1, 'USDT', false, $2)`,
    [chainId, clock.now()],
  );
  const allowing = { context: testContext(db, clock), chainId } as unknown as Parameters<typeof markInBlock>[0];
  const stored = () => db.prisma.allowanceTransaction.findFirst();
  await markInBlock(allowing, '0xa', { fee: 46n });
  await markInBlock(allowing, '0xa', null);
  expect(await stored()).toMatchObject({ seenAt: null, fee: null });
  await markInBlock(allowing, '0xa', { fee: 47n });
  expect(await settleAllowances(allowing, { wallet: '0xb', final: 2 })).toBe(true);
  const final = await stored();
  expect(final?.fee?.toFixed()).toBe('47');
  await markInBlock(allowing, '0xa', null);
  expect(await stored()).toEqual(final);
});
