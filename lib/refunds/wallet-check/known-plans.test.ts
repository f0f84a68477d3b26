// What the check of the refund wallet reads of the attempts: it runs every 30 seconds on Solana, and attempts are never deleted.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readPlan } from '@/testing/database/read-plan';
import { knownExpiry, readLastComparison, readSince, type WalletChain } from './known';

const ATTEMPTS = 20_000;
/** The list of databases has some rows too. */
const FEW = 20;
const NOW = new Date('2026-12-01T12:00:00Z');
const clock = { now: () => NOW };

let db: TestDatabase;
let chainId: number;
beforeAll(async () => {
  db = await openTestDatabase();
  const { rows } = await db.pool.query<{ id: number }>(
    `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time)
     VALUES ('live', 'tron', '', 1, '', 1, '', $1) RETURNING id`,
    [NOW],
  );
  chainId = rows[0]!.id;
  // The wallet was compared in this database.
  await db.pool.query(`UPDATE chains SET wallet_known_until = '2026-01-01', wallet_identity = concat_ws(' ',
    extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()), 'chains'::regclass::oid)`);
  // Another network made all of the newest attempts. Generated rows need no checks by triggers.
  const client = await db.pool.connect();
  await client.query(`SET session_replication_role = replica`);
  await client.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
     SELECT 're_' || n, 1, CASE WHEN n <= ${ATTEMPTS / 2} THEN $1 ELSE $1 + 1 END, 'sent', '{}', 'h' || n, '',
       json_build_object('kind', 'time', 'expiresAt', n), $2::timestamptz - make_interval(secs => ${ATTEMPTS} - n),
       $2::timestamptz FROM generate_series(1, ${ATTEMPTS}) n`,
    [chainId, NOW],
  );
  await client.query(`RESET session_replication_role`);
  client.release();
  await db.pool.query('ANALYZE refund_attempts');
});
afterAll(() => db.close());

/** Runs a read, and returns its result and the most rows of one table that its statement reads. */
async function costOf<T>(read: (chain: WalletChain) => Promise<T>): Promise<{ result: T; rowsRead: number }> {
  const statements: { text: string; values: unknown[] }[] = [];
  const query = (statement: { text: string; values: unknown[] }) => {
    statements.push(statement);
    return db.pool.query(statement);
  };
  const result = await read({ context: { pool: { query } as never, clock }, chainId });
  const plans = await Promise.all(statements.map((statement) => readPlan(db.pool, statement)));
  return { result, rowsRead: Math.max(...plans.map(({ rowsRead }) => rowsRead)) };
}

it.each<[string, (chain: WalletChain) => Promise<unknown>]>([
  ['from when transactions matter', readSince],
  ['when the wallet was last used', readLastComparison],
  ['when the last signed payment expires', knownExpiry],
])('reads %s without a read of all attempts', async (_, read) => {
  expect((await costOf(read)).rowsRead).toBeLessThanOrEqual(FEW);
});

it('still finds the newest ones', async () => {
  expect((await costOf(knownExpiry)).result).toBe(ATTEMPTS / 2);
  expect((await costOf(readLastComparison)).result).toEqual(new Date(NOW.getTime() - (ATTEMPTS / 2) * 1000));
});

it('leaves out a draft that is dated in the future', async () => {
  await db.pool.query(`UPDATE refund_attempts SET drafted_at = $2 WHERE chain_id = $1 AND intent_id = 're_1'`, [
    chainId,
    new Date(NOW.getTime() + 86_400_000),
  ]);
  expect((await costOf(readLastComparison)).result).toEqual(new Date(NOW.getTime() - (ATTEMPTS / 2) * 1000));
});
