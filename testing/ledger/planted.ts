// Violations of the ledger's invariants for the test of the check of the books: each is an id, what is wrong, and SQL that makes it so.

type Planted = readonly [id: string, what: string, sql: string];

export const CLOSED_WITHOUT_LINES = `INSERT INTO statement_months (store_id, environment, month, lines, hash, closing)
  SELECT DISTINCT store_id, environment, date_trunc('month', now())::date, 0, repeat('0', 64), '[]'::jsonb FROM ledger_entries WHERE store_id <> ''`;

/** `session` has a refund `re_processing` that is reserved. */
export const wrongQuarantines = (session: string): readonly Planted[] => [
  [
    'INV-2l',
    'a session that takes more from the quarantine than it has there',
    `UPDATE ledger_postings SET account = replace(account, 'store:', 'quarantined:') WHERE account LIKE 'store:%'
       AND entry_id = (SELECT id FROM ledger_entries WHERE intent_id = 're_processing' AND kind = 'refund_reserved')`,
  ],
  [
    'INV-2l',
    'a quarantine of money that a refund has reserved',
    `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id)
         SELECT 'quarantined', store_id, 'test', id FROM sessions WHERE id = '${session}' RETURNING id, store_id)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
     SELECT entry.id, line.kind || ':' || entry.store_id, 'ethereum', 'USDT', line.amount
     FROM entry, (VALUES ('refund', 10000), ('quarantined', -10000)) AS line (kind, amount)`,
  ],
];
