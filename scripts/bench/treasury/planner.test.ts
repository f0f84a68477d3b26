import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { insertDeposits, insertPayments, makeDust, measurePlanner, screenSenders } from './planner';

const ADDRESSES = 10_000;

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it('the planner reads ten thousand addresses by one query, and by two if none is swept, within a second and 150 MiB', async () => {
  const chainId = await insertDeposits(db.pool, ADDRESSES, 50_00);
  const expectPlanned = async (
    isScreened: boolean,
    expected: { readonly queries: number; readonly addresses: number },
  ) => {
    const planned = await measurePlanner(db.pool, chainId, { isScreened });
    expect(planned).toMatchObject(expected);
    expect(planned.seconds).toBeLessThan(1);
    expect(planned.mebibytes).toBeLessThan(150);
  };
  await expectPlanned(false, { queries: 1, addresses: 50 });
  await insertPayments(db.pool, chainId, ADDRESSES);
  await expectPlanned(true, { queries: 2, addresses: 0 });
  await screenSenders(db.pool, ADDRESSES);
  await expectPlanned(true, { queries: 1, addresses: 50 });
  await makeDust(db.pool);
  await expectPlanned(true, { queries: 2, addresses: 0 });
});
