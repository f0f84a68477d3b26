// Violations of the ledger's invariants, for the test that the check of the books finds each: id, what is wrong, and the SQL that makes it so.

const CLOSED_WITHOUT_LINES = `INSERT INTO statement_months (store_id, environment, month, lines, hash, closing)
  SELECT DISTINCT store_id, environment, date_trunc('month', now())::date, 0, repeat('0', 64), '[]'::jsonb FROM ledger_entries WHERE store_id <> ''`;

export const PLANTED_IN_LEDGER: readonly (readonly [id: string, what: string, sql: string])[] = [
  ['INV-2k', 'a closed month with other lines', CLOSED_WITHOUT_LINES],
  [
    'INV-2l',
    'a fee that is booked without an entry',
    `UPDATE refund_attempts SET fee = 21000, coin_booked_at = now() WHERE intent_id = 're_completed'`,
  ],
  [
    'INV-2l',
    'a fee that is booked with another amount',
    `UPDATE refund_attempts SET fee = 21000, coin_booked_at = now() WHERE intent_id = 're_completed';
     WITH entry AS (INSERT INTO ledger_entries (kind, environment, coin_source)
       SELECT 'coin_payment', 'test', 'attempt:' || id FROM refund_attempts WHERE intent_id = 're_completed' RETURNING id)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
     SELECT id, line.account, 'ethereum', 'ETH', line.amount
     FROM entry, (VALUES ('expense:network_fee', 20000), ('fee_coin:0xwallet', -20000)) AS line (account, amount)`,
  ],
  [
    'INV-2l',
    'an entry about coins whose transaction is not booked',
    `WITH entry AS (INSERT INTO ledger_entries (kind, environment, coin_source) VALUES ('coin_sweep', 'test', 'sweep:0') RETURNING id)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
     SELECT id, line.account, 'ethereum', 'ETH', line.amount
     FROM entry, (VALUES ('expense:network_fee', 1), ('fee_coin:0xwallet', -1)) AS line (account, amount)`,
  ],
  [
    'INV-2l',
    'a month with another sum',
    `INSERT INTO coin_months VALUES ('test', '2026-11-01', 'ethereum', 'ETH', 1, 1, 0, 0, 0)`,
  ],
  [
    'INV-2l',
    'a stake that is booked without an entry',
    `INSERT INTO coin_stakes (chain_id, address, staked, unstaking, read_at, booked)
       SELECT chain_id, 'Twallet', 5, 0, now(), 5 FROM refund_attempts WHERE intent_id = 're_completed'`,
  ],
  [
    'INV-2l',
    'an entry about a stake that is in the account of another wallet',
    `WITH stake AS (INSERT INTO coin_stakes (chain_id, address, staked, unstaking, read_at, booked, entries)
       SELECT chain_id, 'Twallet', 5, 0, now(), 5, 1 FROM refund_attempts WHERE intent_id = 're_completed' RETURNING chain_id),
     entry AS (INSERT INTO ledger_entries (kind, environment, coin_source)
       SELECT 'coin_stake', 'test', concat('stake:', chain_id, ':Twallet:1') FROM stake RETURNING id)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
     SELECT id, line.account, 'tron', 'TRX', line.amount
     FROM entry, (VALUES ('fee_coin:staked:Tother', 5), ('fee_coin:Twallet', -5)) AS line (account, amount)`,
  ],
  [
    'INV-2l',
    'tokens in an account of coins',
    `UPDATE ledger_postings SET account = 'fee_coin:0xwallet' WHERE account = 'refund_wallet'`,
  ],
];

/** `session` has a refund `re_processing` that is reserved. */
export const wrongQuarantines = (session: string): typeof PLANTED_IN_LEDGER => [
  [
    'INV-2m',
    'a session that takes more from the quarantine than it has there',
    `UPDATE ledger_postings SET account = replace(account, 'store:', 'quarantined:') WHERE account LIKE 'store:%'
       AND entry_id = (SELECT id FROM ledger_entries WHERE intent_id = 're_processing' AND kind = 'refund_reserved')`,
  ],
  [
    'INV-2m',
    'a quarantine of money that a refund has reserved',
    `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id)
         SELECT 'quarantined', store_id, 'test', id FROM sessions WHERE id = '${session}' RETURNING id, store_id)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
     SELECT entry.id, line.kind || ':' || entry.store_id, 'ethereum', 'USDT', line.amount
     FROM entry, (VALUES ('refund', 10000), ('quarantined', -10000)) AS line (kind, amount)`,
  ],
];
