// One run over the signed returns of a chain: what stops one return does not stop the others, and what is booked follows from the bytes.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { COLD } from '@/lib/ledger/postings';
import type { AttemptOutcome, ChainSender } from '@/lib/networks/sending/send';
import { requestCase, type RequestCase } from '@/testing/cold-storage/request-files';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { followReturns } from './follow';
import type { ReturnChain } from './rows';

const START = 1_800_000_000;
let db: TestDatabase;
let given: RequestCase;
let chainId: number;

beforeAll(async () => {
  [db, given] = [await openTestDatabase(), await requestCase('evm')];
  await db.pool.query("UPDATE chains SET retired_at = now() WHERE network = 'ethereum' AND retired_at IS NULL");
  chainId = await makeChain(db, 'ethereum', START);
});
afterAll(() => db.close());

/** Stores a signed return. The column of the amount says 1 in each. */
async function store(id: string, unsigned: string): Promise<void> {
  const { from, to } = given;
  await db.pool.query(
    `INSERT INTO cold_returns (id, request_id, position, request_sha256, environment, network, chain_id, currency, amount, sender, recipient,
       unsigned, created_at, expires_at, signed_bytes, transaction_hash, signed_at)
     VALUES ($1 || '_1', $1, 1, 'x', 'test', 'ethereum', $2, 'USDT', 1, $3, $4, $5, now(), now() + interval '1 day', '0x', $1, now())`,
    [id, chainId, from, to, unsigned],
  );
}

it('follows the returns after one that it cannot read, and books the amount of the bytes', async () => {
  const [item] = given.request.items;
  const id = given.request.id;
  await store('cr_unreadable', '0x00');
  await store(id, item!.unsigned);
  const block = { number: 7, hash: '0x7', parentHash: '0x6', time: START };
  const landed: AttemptOutcome = { kind: 'landed', hash: id, block };
  const sender = { outcome: async () => landed } as unknown as ChainSender;
  const chain: ReturnChain = { chainId, environment: 'test', spec: given.spec, sender };
  const context = testContext(db, new TestClock(START), testConfig());
  expect(await followReturns(context, chain)).toMatchObject([
    { id: 'cr_unreadable_1', outcome: null, note: expect.stringContaining('cannot be signed') },
    { id: `${id}_1`, outcome: { kind: 'landed' } },
  ]);
  const ended = await db.pool.query('SELECT id, outcome FROM cold_returns WHERE ended_at IS NOT NULL');
  expect(ended.rows).toEqual([{ id: `${id}_1`, outcome: 'landed' }]);
  const booked = await db.pool.query(
    'SELECT sum(abs(amount))::text AS amount FROM ledger_balances WHERE account <> $1 AND amount > 0',
    [COLD],
  );
  expect(booked.rows).toEqual([{ amount: item!.amount }]);
}, 60_000);
