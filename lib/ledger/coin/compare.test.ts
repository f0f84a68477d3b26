// The coin of a sponsor is stored by network, and compared by chain: what it had on a former chain says nothing about the present one.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testContext } from '@/testing/fixtures';
import { readCoinChecks } from './checks';
import { coinStep } from './step';

const clock = new TestClock();
let db: TestDatabase;

beforeAll(async () => {
  db = await openTestDatabase();
  await makeChain(db, 'ethereum', clock.now().getTime() / 1000);
});
afterAll(() => db.close());

const run = async () => {
  clock.advance(1);
  await coinStep(testContext(db, clock));
  return readCoinChecks(db.pool);
};

const read = (coin: bigint) =>
  db.pool.query(
    `INSERT INTO sweep_states (environment, network, treasury, sponsor, coin, fees_per_hour, fees_last_hour, read_at)
     VALUES ('test', 'ethereum', '0xt', '0xSponsor', $1, 1, 1, $2)
     ON CONFLICT (environment, network) DO UPDATE SET coin = EXCLUDED.coin, read_at = EXCLUDED.read_at`,
    [coin, clock.now()],
  );

it('does not compare a reading of a former chain with one of the present chain, and compares those that follow', async () => {
  await read(1000n);
  await db.pool.query(
    `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time, retired_at)
     VALUES ('test', 'ethereum', '0xformer', 1, '0x1', 1, '0x1', $1, $1)`,
    [clock.now()],
  );
  expect(await run()).toEqual([]);
  await read(700n);
  expect(await run()).toMatchObject([{ address: '0xsponsor', came: 0n, went: 0n }]);
  await read(690n);
  expect(await run()).toMatchObject([{ address: '0xsponsor', came: 0n, went: 10n }]);
});
