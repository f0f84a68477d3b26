// What the page of payouts shows of payouts that were paid, and how it pages through them.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FIRST_PAGE, PAGE_ROWS, readCursor } from '@/lib/dashboard/lists/keyset';
import { unixSeconds } from '@/lib/platform/clock';
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

/** Paid payouts; each was requested `apart` seconds before the former one. */
async function addPaid(of: { storeId: string; environment: Environment; network: string }, count = 1, apart = 0) {
  await database.prisma.payout.createMany({
    data: Array.from({ length: count }, (_, n) => ({
      ...of,
      ...{ id: `po_${randomBytes(20).toString('hex')}`, payoutId: randomUUID(), amount: 500n, currency: 'USDT' },
      ...{ requestHash: new Uint8Array(), createdAt: new Date(now.getTime() - n * apart * 1000), signAfter: now },
      ...({ status: 'completed', transactionHash: HASH, processedAt: now } as const),
    })),
  });
}

/** The transaction of a payout on a network, as the page shows it. */
async function shownTransaction(environment: Environment, network: string, settings: Record<string, string> = {}) {
  const config = testConfig(settings);
  const { storeId } = await makeStore(database, config, environment);
  await addPaid({ storeId, environment, network });
  const context = testContext(database, clock, config);
  const { page } = await payoutsOf(context, { storeId, environment, holdHours: 0 }, FIRST_PAGE);
  return page.rows.map(({ transaction }) => transaction);
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

it.each([
  ['requested one after another', 1],
  ['requested at the same time', 0],
])('pages forwards and backwards show every payout %s once, with the time it was paid', async (_, apart) => {
  const config = testConfig();
  const { storeId } = await makeStore(database, config);
  const of = { storeId, environment: 'test' } as const;
  const count = 2 * PAGE_ROWS + 3;
  await addPaid({ ...of, network: 'ethereum' }, count, apart);
  const context = testContext(database, clock, config);
  const turn = async (cursors: { after?: string | null; before?: string | null }) => {
    const [after, before] = [cursors.after, cursors.before].map((cursor) => (cursor ? readCursor(cursor) : null));
    const request = { ...FIRST_PAGE, after: after ?? null, before: before ?? null };
    return (await payoutsOf(context, { ...of, holdHours: 0 }, request)).page;
  };
  const first = await turn({});
  const second = await turn({ after: first.older });
  const last = await turn({ after: second.older });
  expect([first.newer, last.older]).toEqual([null, null]);
  const shown = [first, second, last].flatMap(({ rows }) => rows);
  expect(new Set(shown.map(({ id }) => id)).size).toBe(count);
  expect(shown.map(({ createdAt }) => createdAt)).toEqual(
    shown.map(({ createdAt }) => createdAt).toSorted((a, b) => b - a),
  );
  expect(shown.every(({ processedAt }) => processedAt === unixSeconds(now))).toBe(true);
  expect(await turn({ before: last.newer })).toEqual(second);
});
