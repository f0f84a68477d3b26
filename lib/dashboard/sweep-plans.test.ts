// The cost of the pages about sweeps depends on what is held and swept now: not on empty addresses, and not on all sweeps ever.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '@/lib/platform/database/db';
import { readSweepReports } from '@/lib/sweeps/report/read';
import { offers } from '@/lib/networks/registry';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readPlan } from '@/testing/database/read-plan';
import { makeChain, TestClock, testConfig } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { FIRST_PAGE, PAGE_ROWS, type Place, type PageRequest } from './lists/keyset';
import { sweepsStatement, type SweepFilters } from './lists/sweeps';

const SWEEPS = 50_000;
/** Addresses of each sweep. */
const ITEMS = 2;
/** One a minute, the newest now. */
const EVERY_SECONDS = 60;
const MAX_READ = 4 * PAGE_ROWS;
/** Sweeps and addresses of a week. */
const WEEK = (ITEMS * 7 * 86_400) / EVERY_SECONDS;
const clock = new TestClock();
const config = testConfig();
let db: TestDatabase;

beforeAll(async () => {
  db = await openTestDatabase();
  const now = clock.now();
  const [ethereum, bsc] = [
    await makeChain(db, 'ethereum', now.getTime() / 1000),
    await makeChain(db, 'bsc', now.getTime() / 1000),
  ];
  const at = `$1::timestamptz - (${SWEEPS} - n) * interval '${EVERY_SECONDS} seconds'`;
  const isOpen = `n > ${SWEEPS} - 3`;
  await insertMany(
    db.pool,
    SWEEPS,
    (numbers) => `
     INSERT INTO sweeps (environment, network, chain_id, kind, status, currency, sender, request, terms, bytes, hashes, fee, created_at,
       signed_at, ended_at)
     SELECT 'test', CASE WHEN n % 5000 = 0 THEN 'ethereum' ELSE 'bsc' END, CASE WHEN n % 5000 = 0 THEN $2::int ELSE $3::int END, 'batch',
       CASE WHEN ${isOpen} THEN 'mined' WHEN n % 1000 = 1 THEN 'reverted' ELSE 'final' END, 'USDT', 's', '{}', '{}', '0x',
       ARRAY['0x' || n], 5, ${at}, ${at}, CASE WHEN NOT ${isOpen} THEN ${at} END FROM ${numbers}`,
    [now, ethereum, bsc],
  );
  await insertMany(
    db.pool,
    SWEEPS,
    (numbers) => `
     INSERT INTO sweep_items (sweep_id, chain_id, address, address_index, session_id, currency, decimals, amount, moved, ended_at)
     SELECT s.id, s.chain_id, 'a' || n || '-' || m, n, 's' || n, 'USDT', 18, 7, CASE WHEN s.ended_at IS NOT NULL THEN 7 END, s.ended_at
     FROM ${numbers} JOIN sweeps s ON s.id = n CROSS JOIN generate_series(1, ${ITEMS}) m`,
  );
  await db.pool.query('ANALYZE sweeps, sweep_items');
});
afterAll(() => db.close());

const at = (n: number): Place => ({
  createdAt: new Date(clock.now().getTime() - (SWEEPS - n) * EVERY_SECONDS * 1000),
  id: String(n),
});

test.each<[string, SweepFilters, Partial<PageRequest>?]>([
  ['the first page', {}],
  ['a page in the middle', {}, { after: at(SWEEPS / 2) }],
  ['the page before one', {}, { before: at(SWEEPS / 2) }],
  ['a rare network', { network: 'ethereum' }],
  ['a network without sweeps', { network: 'base' }],
  ['open ones', { state: 'open' }],
  ['failed ones', { state: 'failed' }, { after: at(SWEEPS / 2) }],
  ['completed ones', { state: 'final' }],
])('sweeps of %s are found by an index', async (_, filters, over = {}) => {
  const { ways, rowsRead } = await readPlan(db.pool, sweepsStatement('test', filters, { ...FIRST_PAGE, ...over }));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

test('the page Treasury reads the sweeps of a week at most, by indexes', async () => {
  const statements: { text: string; values: unknown[] }[] = [];
  const noting = {
    query: async (statement: { text: string; values: unknown[] }) => {
      statements.push(statement);
      return db.pool.query(statement);
    },
  } as unknown as Db;
  const specs = offers(config).map(({ spec }) => spec);
  const reports = await readSweepReports({ pool: noting as never, clock }, specs);
  const bsc = reports.find(({ spec }) => spec.network === 'bsc');
  expect(bsc?.inFlight).toEqual([{ currency: 'USDT', amount: 4n * 7n, addresses: 4 }]);
  expect(bsc?.day.swept[0]?.addresses).toBeGreaterThan(ITEMS * 1000);
  expect(statements).toHaveLength(2);
  for (const statement of statements) {
    const { rowsRead } = await readPlan(db.pool, statement);
    expect(rowsRead).toBeLessThanOrEqual(WEEK);
  }
});
