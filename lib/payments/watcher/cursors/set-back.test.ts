// Cursors that are set back, and what the readings of accounts say then.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain } from '@/testing/fixtures';
import { findChainRow, setBack } from './chain-row';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it.each([
  ['a rotation that left out accounts, or has not ended yet, stays one', null, null],
  ['a rotation that began before the block stays', 5n, 5n],
  ['a rotation that began after it counts from the block', 50n, 10n],
])('%s', async (_, before, after) => {
  const id = await makeChain(db, 'solana', 1_800_000_000);
  await db.pool.query(
    `UPDATE chains SET final_number = 60, tip_number = 60, agreed_number = NULL, agreed_hash = NULL, agreed_time = NULL, rotation_from = $2, accounts_read_from = $2 WHERE id = $1`,
    [id, before],
  );
  const row = await findChainRow(db.pool, 'test', 'solana');
  expect(await setBack(db.pool, row!, { number: 10, hash: '0xa', time: new Date(1) })).toBe(true);
  const { rows } = await db.pool.query('SELECT rotation_from, accounts_read_from FROM chains WHERE id = $1', [id]);
  const expected = after === null ? null : String(after);
  expect(rows).toEqual([{ rotation_from: expected, accounts_read_from: expected }]);
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE id = $1', [id]);
});
