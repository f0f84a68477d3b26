import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { insertDeposits, measurePlanner } from './planner';

const ADDRESSES = 10_000;

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it('the planner reads ten thousand addresses by one query, within a second and 150 MiB', async () => {
  const chainId = await insertDeposits(db.pool, ADDRESSES, 50_00);
  for (const addresses of [50, 0]) {
    const planned = await measurePlanner(db.pool, chainId);
    expect(planned).toMatchObject({ queries: 1, addresses });
    expect(planned.seconds).toBeLessThan(1);
    expect(planned.mebibytes).toBeLessThan(150);
    // The second time each of them holds dust.
    await db.pool.query('UPDATE deposit_balances SET amount = 120000');
  }
});
