// Old ledgers made money available before a session completed. The migration moves what became spendable too early and
// closes the exchange account. The resulting ledger is consistent, whatever refunds drew on.

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { migrate } from './migrate.mjs';
import { openOldInstallation, type OldInstallation } from './old-installation.mjs';

let old: OldInstallation;
let pool: Pool;
beforeAll(async () => {
  old = await openOldInstallation(inject('databaseServer'), (one) => one < '20261122130000');
  await old.client.query(
    `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time)
     VALUES ('live', 'ethereum', '0xg', 9, '0x9', 5, '0x5', now()), ('live', 'bsc', '0xb', 9, '0x9', 5, '0x5', now()),
       ('live', 'tron', '0xt', 9, '0x9', 5, '0x5', now())`,
  );
  pool = openPool(old.url, 2);
});
afterAll(async () => {
  await pool.end();
  await old.close();
});

let index = 0;
type Given = { status: string; tokens?: string[]; networks?: string[]; acceptsOther?: boolean };
async function session(
  id: string,
  { status, tokens = ['USDT'], networks = ['ethereum', 'bsc'], acceptsOther = false }: Given,
) {
  await old.client.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       accepts_other_token, created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at,
       completed_network, completed_currency, completed_transaction, amount_received)
     VALUES ($1, 'store', 'live', $1, 1250, 'USD', 1250, $2, $3, $4, now(), now(), $5, $1, 'T' || $1, 'S' || $1,
       $6::"SessionStatus", CASE WHEN $6 <> 'pending' THEN now() END, CASE WHEN $6 = 'completed' THEN 'ethereum' END,
       CASE WHEN $6 = 'completed' THEN 'USDT' END, CASE WHEN $6 = 'completed' THEN '0xa' END,
       CASE WHEN $6 = 'completed' THEN 1250 ELSE 0 END)`,
    [id, tokens, networks, acceptsOther, ++index, status],
  );
  await old.client.query(
    `INSERT INTO session_status_changes (session_id, move, "from", "to") SELECT id, 'x', 'pending', status FROM sessions
     WHERE id = $1 AND status <> 'pending'`,
    [id],
  );
  const type = { completed: 'payment.completed', failed: 'payment.failed', expired: 'payment.expired' }[status];
  if (type)
    await old.client.query(
      `INSERT INTO events (id, store_id, environment, type, object_id, body)
       VALUES ('evt_' || $1, 'store', 'live', $2, $1, '{"data":{"object":{"exchange_rate":"1"}}}')`,
      [id, type],
    );
}

type Paid = { cents: number; network?: string; token?: string; to?: 'store' | 'unresolved' };
/** As settling posted it at that time; returns the transfer's id. */
async function transfer(sessionId: string, { cents, network = 'ethereum', token = 'USDT', to = 'store' }: Paid) {
  const decimals = network === 'bsc' ? 18 : 6;
  const { rows } = await old.client.query<{ id: string }>(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals)
     VALUES ((SELECT id FROM chains WHERE network = $2), $2, $1, $3, 0, 5, '0xb', now(), $4, '0xc', '0xp',
       CASE WHEN $2 = 'tron' THEN 'T' ELSE '' END || $1, $5, $6) RETURNING id`,
    [sessionId, network, `0x${++index}`, token, units(cents, network), decimals],
  );
  const id = rows[0]?.id ?? '';
  await entry({ kind: 'transfer', session: sessionId, transfer: id }, [
    ['received', network, token, cents],
    [`${to}:store`, network, token, -cents],
  ]);
  return id;
}

const units = (cents: number, network: string): string =>
  (BigInt(cents) * 10n ** (network === 'bsc' ? 16n : 4n)).toString();

type Line = readonly [account: string, network: string, token: string, cents: number];
async function entry(
  of: { kind: string; session?: string; transfer?: string; intent?: string },
  lines: readonly Line[],
) {
  await old.client.query(
    `WITH e AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, transfer_id, intent_id)
       VALUES ($1, 'store', 'live', $2, $3, $4) RETURNING id)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
       SELECT e.id, line.* FROM e, unnest($5::text[], $6::text[], $7::text[], $8::numeric[]) AS line`,
    [
      of.kind,
      of.session ?? null,
      of.transfer ?? null,
      of.intent ?? null,
      lines.map(([account]) => account),
      lines.map(([, network]) => network),
      lines.map(([, , token]) => token),
      lines.map(([, network, , cents]) => units(cents, network)),
    ],
  );
}

async function caseOf(
  sessionId: string,
  transferId: string,
  kind: string,
  state: string,
  cents: number,
  network = 'ethereum',
) {
  await old.client.query(
    `INSERT INTO payment_cases (store_id, environment, session_id, transfer_id, kind, amount, state, decided_by, decided_at)
     VALUES ('store', 'live', $1, $2, $3, $4, $5::"CaseState", CASE WHEN $5 <> 'open' THEN 'merchant:x' END,
       CASE WHEN $5 <> 'open' THEN now() END)`,
    [sessionId, transferId, kind, units(cents, network), state],
  );
}

/** A completed refund, with its ledger reservation at that time. */
async function refund(
  sessionId: string,
  { cents, token, lines }: { cents: number; token: string; lines: readonly Line[] },
) {
  const id = `re_${sessionId}`;
  await old.client.query('UPDATE sessions SET amount_refunded = $2 WHERE id = $1', [sessionId, cents]);
  await old.client.query(
    `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, amount, currency, network, request_hash, day,
       created_at, status, sign_after, transaction_hash, receipt_number, processed_at)
     VALUES ($1, 'store', 'live', $1, $2, $2, $3, $4, 'ethereum', '', now(), now(), 'completed', now(), '0x' || $1, $1, now())`,
    [id, sessionId, cents, token],
  );
  await old.client.query(
    `INSERT INTO refund_status_changes (intent_id, move, "from", "to") VALUES ($1, 'complete', 'processing', 'completed')`,
    [id],
  );
  await old.client.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, ended_at)
     SELECT $1, 1, id, 'landed', '{}', '0x' || $1, '0x', json_build_object('kind', 'nonce', 'nonce', $2::int), now(), now(), now()
       FROM chains WHERE network = 'ethereum'`,
    [id, ++index],
  );
  await old.client.query(
    `INSERT INTO events (id, store_id, environment, type, object_id, body) VALUES ('evt_' || $1, 'store', 'live', 'refund.succeeded', $1, '{}')`,
    [id],
  );
  await entry({ kind: 'refund_reserved', session: sessionId, intent: id }, lines);
  await entry({ kind: 'refund_paid', session: sessionId, intent: id }, [
    ['refund_wallet', 'ethereum', token, -cents],
    ['refund:store', 'ethereum', token, cents],
  ]);
}

async function balances(): Promise<Record<string, number>> {
  const { rows } = await old.client.query<{ name: string; cents: number }>(
    `SELECT account || ' ' || network || ' ' || currency AS name,
       (amount / power(10::numeric, CASE network WHEN 'bsc' THEN 16 ELSE 4 END))::float8 AS cents
     FROM ledger_balances WHERE amount <> 0`,
  );
  return Object.fromEntries(rows.map(({ name, cents }) => [name, cents]));
}

test('partial payments spent by refunds, surpluses and exchanges become a consistent ledger', async () => {
  // A refund of the session paid in USDC on BSC spent half of the pending session's 5.00.
  await session('pending', { status: 'pending' });
  await transfer('pending', { cents: 500 });
  await session('paid', { status: 'completed', tokens: ['USDC'] });
  await transfer('paid', { cents: 1250, network: 'bsc', token: 'USDC' });
  await refund('paid', {
    cents: 250,
    token: 'USDT',
    lines: [
      ['store:store', 'ethereum', 'USDT', 250],
      ['refund:store', 'ethereum', 'USDT', -250],
    ],
  });
  // A refund that went through the exchange account.
  await session('changed', { status: 'completed', tokens: ['USDC'] });
  await transfer('changed', { cents: 1250, network: 'bsc', token: 'USDC' });
  await refund('changed', {
    cents: 400,
    token: 'USDT',
    lines: [
      ['store:store', 'bsc', 'USDC', 400],
      ['exchange', 'bsc', 'USDC', -400],
      ['exchange', 'ethereum', 'USDT', 400],
      ['refund:store', 'ethereum', 'USDT', -400],
    ],
  });
  await session('over', { status: 'completed' });
  await caseOf('over', await transfer('over', { cents: 1300, network: 'bsc' }), 'over', 'open', 50, 'bsc');
  await session('kept', { status: 'completed' });
  await caseOf('kept', await transfer('kept', { cents: 1270, network: 'bsc' }), 'over', 'accepted', 20, 'bsc');
  // A late part that an operator accepted, and that completed nothing.
  await session('part', { status: 'expired' });
  const part = await transfer('part', { cents: 300, network: 'bsc', to: 'unresolved' });
  await caseOf('part', part, 'late', 'accepted', 300, 'bsc');
  await entry({ kind: 'accepted', session: 'part', transfer: part }, [
    ['unresolved:store', 'bsc', 'USDT', 300],
    ['store:store', 'bsc', 'USDT', -300],
  ]);
  const before = await balances();
  expect(before).toMatchObject({ 'exchange bsc USDC': -400, 'exchange ethereum USDT': 400 });

  await migrate(old.url);

  expect(await balances()).toEqual({
    'received ethereum USDT': before['received ethereum USDT'],
    'received bsc USDC': before['received bsc USDC'],
    'refund_wallet ethereum USDT': -650,
    'received bsc USDT': before['received bsc USDT'],
    'unresolved:store ethereum USDT': -500,
    'unresolved:store bsc USDT': -350,
    // The store paid 2.50 from its own balance for the part that its refund had spent.
    'store:store bsc USDT': -2270,
    'store:store bsc USDC': -2100,
    'operator bsc USDC': -400,
    'operator bsc USDT': -250,
    'operator ethereum USDT': 650,
  });
  const cases = await old.client.query(
    'SELECT session_id, kind, state, counted::int FROM payment_exceptions ORDER BY id',
  );
  expect(cases.rows).toEqual([
    { session_id: 'over', kind: 'over', state: 'open', counted: 0 },
    { session_id: 'kept', kind: 'over', state: 'kept', counted: 0 },
    { session_id: 'part', kind: 'late', state: 'accepted', counted: 0 },
  ]);
  expect((await checkBooks(pool)).filter(({ count }) => count > 0)).toEqual([]);
});

test('an older session keeps its offered pairs, except those of a discontinued token', async () => {
  const { rows } = await old.client.query<{ id: string; offered_pairs: string[] }>(
    `SELECT id, offered_pairs FROM sessions WHERE id IN ('pending', 'paid') ORDER BY id`,
  );
  expect(rows).toEqual([
    { id: 'paid', offered_pairs: ['bsc-USDC', 'ethereum-USDC'] },
    { id: 'pending', offered_pairs: ['bsc-USDT', 'ethereum-USDT'] },
  ]);
  // As a web process of the former release creates it, while this release runs.
  await session('dollars', { status: 'pending', tokens: ['USDT'], networks: ['bsc', 'tron'], acceptsOther: true });
  const made = await old.client.query(`SELECT offered_pairs FROM sessions WHERE id = 'dollars'`);
  expect(made.rows).toEqual([{ offered_pairs: ['bsc-USDC', 'bsc-USDT', 'tron-USDT'] }]);
  const change = old.client.query(`UPDATE sessions SET offered_pairs = '{tron-USDC}' WHERE id = 'dollars'`);
  await expect(change).rejects.toThrow(/is locked/);
});
