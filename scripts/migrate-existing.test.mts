// An installation with sessions, transfers and ledger entries of the first migration is migrated, keeps all of them and
// works as before.

import fs from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from './migrate.mjs';
import { MIGRATIONS, openOldInstallation, type OldInstallation } from './old-installation.mjs';

const FIRST = '20261121000000_first';
let old: OldInstallation;

beforeAll(async () => void (old = await openOldInstallation(inject('databaseServer'), (one) => one === FIRST)));
afterAll(() => old.close());

/** As creating, watching and settling wrote them before payment exceptions existed. */
const SESSION = `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
    created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at, exception,
    amount_received, completed_network, completed_currency, completed_transaction)
  VALUES ($1, 'store', 'live', $1, 1250, 'USDT', 1250, '{USDT}', '{ethereum}', now(), now(), $2, $1, $1, $1,
    $3::"SessionStatus", CASE WHEN $3 = 'pending' THEN NULL ELSE now() END, $4::"SessionException", $5,
    CASE WHEN $3 = 'completed' THEN 'ethereum' END, CASE WHEN $3 = 'completed' THEN 'USDT' END, CASE WHEN $3 = 'completed' THEN '0xa' END)`;
const TRANSFER = `WITH t AS (INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash,
      block_time, currency, contract, payer, recipient, amount, decimals)
    VALUES ((SELECT id FROM chains), 'ethereum', $1, '0x' || $1, 0, 5, '0xb', now(), 'USDT', '0xc', '0xp', $1, $3, 6) RETURNING id),
  e AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, transfer_id)
    SELECT 'transfer', 'store', 'live', $1, id FROM t RETURNING id)
  INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
    SELECT id, account, 'ethereum', 'USDT', amount FROM e, (VALUES ('received', $3::numeric), ($2::text, -$3::numeric)) AS p (account, amount)`;

test('keeps all existing rows, and starts with empty new tables', async () => {
  await old.client.query(
    `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time)
     VALUES ('live', 'ethereum', '0xg', 9, '0x9', 5, '0x5', now())`,
  );
  const sessions = [
    ['pending', 'partial', 500, 'store:store'],
    ['completed', 'over', 2000, 'store:store'],
    ['expired', 'late', 0, 'unresolved:store'],
    ['canceled', 'late', 0, 'unresolved:store'],
    ['failed', 'partial', 500, 'store:store'],
  ] as const;
  for (const [index, [status, exception, received, account]] of sessions.entries()) {
    await old.client.query(SESSION, [status, index, status, exception, received]);
    await old.client.query(TRANSFER, [status, account, 5_000_000]);
  }
  const kept = async () =>
    (
      await old.client
        .query(`SELECT s.id, s.status, s.exception, s.amount_received, t.amount, p.account, p.amount AS posted
        FROM sessions s JOIN transfers t ON t.session_id = s.id JOIN ledger_entries e ON e.transfer_id = t.id
        JOIN ledger_postings p ON p.entry_id = e.id WHERE e.kind = 'transfer' ORDER BY p.id`)
    ).rows;
  const before = await kept();
  expect(before).toHaveLength(10);

  const applied = await migrate(old.url);
  expect(applied).toEqual(fs.readdirSync(MIGRATIONS).filter((one) => one > FIRST && one !== 'migration_lock.toml'));
  expect(await kept()).toEqual(before);
  const { rows } = await old.client.query(
    `SELECT final_number, owners_through, (SELECT count(*)::int FROM account_cursors) AS marks FROM chains`,
  );
  expect(rows).toEqual([{ final_number: '5', owners_through: -1, marks: 0 }]);
  expect(await migrate(old.url)).toEqual([]);
});

test('a payment that does not count has its exception afterwards, although its session is not settled again', async () => {
  const { rows } = await old.client.query(
    `SELECT session_id, kind, state, amount::int, store_id, environment FROM payment_exceptions ORDER BY id`,
  );
  const late = { kind: 'late', state: 'open', amount: 5_000_000, store_id: 'store', environment: 'live' };
  expect(rows).toEqual([
    { session_id: 'expired', ...late },
    { session_id: 'canceled', ...late },
  ]);
});
