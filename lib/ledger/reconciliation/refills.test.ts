// What it costs to read the books of a refund wallet into which many sweeps went.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCAL_EVM_CHAINS } from '@/testing/signer/sweep-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { readWalletBooks } from './refills';

const REFILLS = 20_000;
const WALLET = `0x${'c0'.repeat(20)}`;
const spec = LOCAL_EVM_CHAINS.find(({ network }) => network === 'ethereum')!;

let db: TestDatabase;
let chainId: number;
beforeAll(async () => {
  db = await openTestDatabase();
  chainId = await makeChain(db, 'ethereum', Date.now() / 1000);
  await insertMany(
    db.pool,
    REFILLS,
    (numbers) => `
      INSERT INTO outgoing_transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
        contract, payer, recipient, amount, decimals, booked_at, is_refill)
      SELECT $1, 'ethereum', 's' || n, 'tx' || n, 0, n, 'block' || n, now(), CASE WHEN n % 2 = 0 THEN 'USDT' ELSE 'USDC' END, 'c', 'p' || n, $2,
        10, 6, CASE WHEN n <= ${REFILLS} - 2 THEN now() END, n <= ${REFILLS} - 2 FROM ${numbers}`,
    [chainId, WALLET],
  );
  await db.pool.query('ANALYZE outgoing_transfers');
});
afterAll(() => db.close());

const BLOCKS = [REFILLS, REFILLS - 2, REFILLS / 2] as const;
const of = { chain: { environment: spec.environment, network: spec.network, spec }, wallet: WALLET, currency: 'USDT' };

it('adds up what sweeps brought by each block, booked or not', async () => {
  const half = BigInt(REFILLS) / 2n;
  expect(await readWalletBooks(db.pool, { ...of, chainId }, BLOCKS)).toMatchObject({
    withoutRefills: -10n * (half - 1n),
    refilledBy: [10n * half, 10n * (half - 1n), 5n * half],
    hasRefills: true,
  });
  expect(await readWalletBooks(db.pool, { ...of, chainId, currency: 'DAI' }, BLOCKS)).toMatchObject({
    withoutRefills: 0n,
    refilledBy: [0n, 0n, 0n],
    hasRefills: false,
  });
});

it('reads each sweep of the chain into the wallet once at most', async () => {
  const statements: { text: string; values: unknown[] }[] = [];
  const recorder = { query: async (statement: never) => ({ rows: statements.push(statement) && [] }) };
  await readWalletBooks(recorder as never, { ...of, chainId }, BLOCKS);
  expect(statements).toHaveLength(1);
  const { text, values } = statements[0]!;
  const { rows } = await db.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  expect(rowsIn(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(REFILLS + 100);
});

type Node = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
};
/** What all nodes of the plan handle together. */
const rowsIn = (node: Node): number =>
  node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) +
  (node.Plans ?? []).reduce((sum, one) => sum + rowsIn(one), 0);
