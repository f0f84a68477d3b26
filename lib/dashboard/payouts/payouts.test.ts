// What the page of payouts shows of a payout that was paid.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Environment } from '@/lib/platform/ids';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { payoutsOf } from './payouts';

const HASH = `0x${'ab'.repeat(32)}`;
const clock = new TestClock();
const now = clock.now();

let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());

/** The transaction of a payout on a network, as the page shows it. */
async function shownTransaction(environment: Environment, network: string, settings: Record<string, string> = {}) {
  const config = testConfig(settings);
  const { storeId } = await makeStore(database, config, environment);
  await database.prisma.payout.create({
    data: {
      ...{
        id: `po_${randomBytes(20).toString('hex')}`,
        storeId,
        environment,
        payoutId: randomUUID(),
        amount: 500n,
        currency: 'USDT',
        network,
      },
      ...{ requestHash: new Uint8Array(), createdAt: now, signAfter: now, processedAt: now },
      ...{ status: 'completed', transactionHash: HASH },
    },
  });
  const { payouts } = await payoutsOf(testContext(database, clock, config), { storeId, environment, holdHours: 0 });
  return payouts.map(({ transaction }) => transaction);
}

it.each([
  ['live', 'bsc', `https://bscscan.com/tx/${HASH}`],
  ['live', 'tron', `https://tronscan.org/#/transaction/${HASH}`],
  ['test', 'ethereum', `https://sepolia.etherscan.io/tx/${HASH}`],
] as const)('links a %s payout on %s to its transaction in the explorer', async (environment, network, explorerUrl) => {
  expect(await shownTransaction(environment, network, { TEST_CHAINS: 'public' })).toEqual([
    { hash: HASH, explorerUrl },
  ]);
});

it('links a payout on a local chain to no explorer', async () => {
  expect(await shownTransaction('test', 'ethereum')).toEqual([{ hash: HASH, explorerUrl: null }]);
});
