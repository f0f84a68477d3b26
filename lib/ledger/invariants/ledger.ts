// Invariants of the ledger (INV-2 and INV-15), as queries.

import type { Invariant } from './invariant';

/** Triggers that protect facts and statuses from changes and keep balances equal to their postings. */
const GUARDS = [
  'transfers_append_only',
  'transfers_add_to_deposit_balances',
  'outgoing_transfers_deduct_from_deposit_balances',
  'events_append_only',
  'events_go_to_archives',
  'status_changes_append_only',
  'ledger_entries_append_only',
  'ledger_postings_append_only',
  'ledger_entries_follow_closed_months',
  'ledger_entries_keep_closed_months',
  'statement_months_append_only',
  'receipt_number_follows',
  'receipt_numbers_append_only',
  'ledger_postings_balance',
  'ledger_balances_follow',
  'sessions_moves',
  'sessions_terminal_is_terminal',
  'sessions_price_is_locked',
  'sessions_pairs_are_locked',
  'payment_exceptions_moves',
  'payment_exceptions_keep_facts',
  'payment_exceptions_keep_decisions',
  'refunds_moves',
  'refunds_keep_facts',
  'refunds_keep_costs',
  'refund_attempts_moves',
  'refund_attempts_keep',
  'outgoing_transfers_keep_facts',
  'outgoing_transfers_never_deleted',
  'payouts_moves',
  'payouts_keep_facts',
  'cold_transfers_moves',
  'cold_transfers_keep_facts',
  'cold_returns_keep_facts',
  'cold_returns_never_deleted',
  'refunds_never_deleted',
  'payouts_never_deleted',
  'cold_transfers_never_deleted',
  'refund_attempts_never_deleted',
  'stores_moves',
  'deliveries_moves',
  'balance_checks_moves',
] as const;

export const LEDGER_INVARIANTS: readonly Invariant[] = [
  {
    id: 'INV-2a',
    statement: 'the postings of every entry sum to zero in each token and network',
    query: `SELECT concat('entry ', entry_id, ' is off by ', sum(amount), ' ', currency, ' on ', network) AS violation
      FROM ledger_postings GROUP BY entry_id, network, currency HAVING sum(amount) <> 0
      UNION ALL SELECT concat('entry ', e.id, ' has no postings') FROM ledger_entries e
      WHERE NOT EXISTS (SELECT FROM ledger_postings p WHERE p.entry_id = e.id)
      UNION ALL SELECT concat('posting ', p.id, ' has no entry') FROM ledger_postings p
      WHERE NOT EXISTS (SELECT FROM ledger_entries e WHERE e.id = p.entry_id)`,
  },
  {
    id: 'INV-2b',
    statement: 'every balance is the sum of its postings',
    query: `WITH sums AS (SELECT e.environment, p.account, p.network, p.currency, sum(p.amount) AS amount
          FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id GROUP BY 1, 2, 3, 4)
      SELECT concat(account, ' of ', environment, ' has ', COALESCE(b.amount, 0), ' ', currency, ' on ', network, ' instead of ',
        COALESCE(s.amount, 0)) AS violation
      FROM sums s FULL JOIN ledger_balances b USING (environment, account, network, currency)
      WHERE COALESCE(b.amount, 0) <> COALESCE(s.amount, 0)`,
  },
  {
    id: 'INV-2c',
    statement: 'no store is owed a negative amount',
    query: `SELECT concat(account, ' of ', environment, ' is overdrawn by ', amount, ' ', currency, ' on ', network) AS violation
      FROM ledger_balances WHERE amount > 0 AND split_part(account, ':', 1) IN ('store', 'refund', 'unresolved', 'payout', 'quarantined')`,
  },
  {
    id: 'INV-2e',
    statement: 'an uncompleted session adds nothing to its store’s available balance',
    query: `SELECT concat('session ', s.id, ' is ', s.status, ' and gave its store ', -sum(p.amount), ' ', p.currency, ' on ', p.network)
        AS violation
      FROM sessions s JOIN ledger_entries e ON e.session_id = s.id
        JOIN ledger_postings p ON p.entry_id = e.id AND p.account LIKE 'store:%'
      WHERE s.status <> 'completed' GROUP BY s.id, p.network, p.currency HAVING sum(p.amount) <> 0`,
  },
  {
    id: 'INV-2f',
    statement:
      'the unresolved amount of a closed session equals its open exceptions to the base unit, except amounts below a cent',
    query: `WITH unresolved AS (SELECT e.transfer_id, -sum(p.amount) AS amount
          FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id AND p.account LIKE 'unresolved:%'
          WHERE e.transfer_id IS NOT NULL GROUP BY e.transfer_id)
      SELECT concat('transfer ', t.id, ' of session ', s.id, ' has ', COALESCE(u.amount, 0), ' unresolved, to be decided are ',
          COALESCE(c.amount - c.counted, 0)) AS violation
      FROM transfers t JOIN sessions s ON s.id = t.session_id
        LEFT JOIN unresolved u ON u.transfer_id = t.id
        LEFT JOIN payment_exceptions c ON c.transfer_id = t.id
          AND (c.state IN ('open', 'left') OR (c.state = 'accepted' AND s.status <> 'completed'))
      WHERE s.status <> 'pending' AND t.amount >= power(10::numeric, t.decimals - 2)
        AND COALESCE(u.amount, 0) <> COALESCE(c.amount - c.counted, 0)`,
  },
  {
    id: 'INV-2g',
    statement: 'a refund in a terminal state has no reserved amount',
    query: `SELECT concat('refund ', r.id, ' is ', r.status, ' and holds ', -sum(p.amount), ' ', p.currency, ' on ', p.network) AS violation
      FROM refunds r JOIN ledger_entries e ON e.intent_id = r.id
        JOIN ledger_postings p ON p.entry_id = e.id AND p.account LIKE 'refund:%'
      WHERE r.case_id IS NULL AND r.status IN ('completed', 'failed', 'canceled')
      GROUP BY r.id, p.network, p.currency HAVING sum(p.amount) <> 0`,
  },
  {
    id: 'INV-2h',
    statement: 'the network cost of a refund is reserved as quoted, and settled at its end as charged',
    query: `WITH cost AS (SELECT e.intent_id,
          COALESCE(-sum(p.amount) FILTER (WHERE e.kind = 'refund_cost_reserved' AND p.account LIKE 'refund:%'), 0) AS reserved,
          COALESCE(sum(p.amount) FILTER (WHERE e.kind = 'refund_cost_settled' AND p.account LIKE 'refund:%'), 0) AS settled,
          COALESCE(-sum(p.amount) FILTER (WHERE e.kind = 'refund_cost_settled' AND p.account = 'cost_recovery'), 0) AS charged
        FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
        WHERE e.kind IN ('refund_cost_reserved', 'refund_cost_settled') GROUP BY 1)
      SELECT concat('refund ', COALESCE(r.id, c.intent_id), ' is ', r.status, ', quoted ', r.cost_quoted, ' and charged ', r.cost_charged,
        ' cents, the ledger reserved ', c.reserved, ', settled ', c.settled, ' and charged ', c.charged) AS violation
      FROM refunds r FULL JOIN cost c ON c.intent_id = r.id
      WHERE r.id IS NULL OR (COALESCE(c.reserved, 0) > 0) <> (r.cost_quoted IS NOT NULL)
        OR COALESCE(c.settled, 0) <> CASE WHEN r.status IN ('completed', 'failed', 'canceled') THEN COALESCE(c.reserved, 0) ELSE 0 END
        OR (COALESCE(c.settled, 0) > 0) <> (r.cost_charged IS NOT NULL)
        OR COALESCE(c.charged, 0) * COALESCE(r.cost_quoted, 0) <> COALESCE(c.reserved, 0) * COALESCE(r.cost_charged, 0)`,
  },
  {
    id: 'INV-2i',
    statement: 'every booked transfer out of a deposit address is in the ledger once, with its whole amount',
    query: `SELECT concat('outgoing transfer ', o.id, ' of session ', o.session_id, ' has ', COALESCE(sum(p.amount), 0), ' of ',
          CASE WHEN o.booked_at IS NULL THEN 0 ELSE -o.amount END) AS violation
      FROM outgoing_transfers o LEFT JOIN ledger_entries e ON e.outgoing_transfer_id = o.id
        LEFT JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'received' AND p.network = o.network AND p.currency = o.currency
      GROUP BY o.id HAVING COALESCE(sum(p.amount), 0) <> CASE WHEN o.booked_at IS NULL THEN 0 ELSE -o.amount END`,
  },
  {
    id: 'INV-2j',
    statement: 'what a deposit address holds is what arrived there less what left',
    query: `WITH moved AS (SELECT chain_id, address, currency, sum(amount) AS amount FROM (
          SELECT chain_id, recipient AS address, currency, amount FROM transfers
          UNION ALL SELECT chain_id, payer, currency, -amount FROM outgoing_transfers) AS one GROUP BY 1, 2, 3 HAVING sum(amount) <> 0)
      SELECT concat('deposit address ', address, ' has ', COALESCE(d.amount, 0), ' of ', COALESCE(m.amount, 0)) AS violation
      FROM moved m FULL JOIN deposit_balances d USING (chain_id, address, currency) WHERE m.amount IS DISTINCT FROM d.amount`,
  },
  {
    id: 'INV-2k',
    statement: 'a closed month has as many lines, and the last one the closing balances, with which it was closed',
    query: `WITH line AS (SELECT e.store_id, e.environment, date_trunc('month', e.created_at, 'UTC') AS month, e.id,
          CASE split_part(p.account, ':', 1) WHEN 'store' THEN 'available' WHEN 'refund' THEN 'reserved' WHEN 'payout' THEN 'reserved'
            ELSE split_part(p.account, ':', 1) END AS part, p.network, p.currency, -sum(p.amount) AS amount
        FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
          AND p.account IN ('store:' || e.store_id, 'unresolved:' || e.store_id, 'refund:' || e.store_id, 'payout:' || e.store_id,
            'quarantined:' || e.store_id)
        GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(p.amount) <> 0),
      counted AS (SELECT store_id, environment, month, count(*) AS lines FROM line GROUP BY 1, 2, 3),
      last AS (SELECT DISTINCT ON (store_id, environment) * FROM statement_months ORDER BY store_id, environment, month DESC),
      recorded AS (SELECT l.store_id, l.environment, one.network, one.currency, one.part, one.amount
        FROM last l, jsonb_to_recordset(l.closing) AS one (network text, currency text, part text, amount numeric)),
      held AS (SELECT store_id, environment, line.network, line.currency, line.part, sum(line.amount) AS amount
        FROM line JOIN last USING (store_id, environment)
        WHERE line.month <= last.month::timestamp AT TIME ZONE 'UTC' GROUP BY 1, 2, 3, 4, 5 HAVING sum(line.amount) <> 0)
      SELECT concat('month ', m.month, ' of ', m.store_id, ' in ', m.environment, ' has ', COALESCE(c.lines, 0), ' of ', m.lines, ' lines')
        AS violation
      FROM statement_months m LEFT JOIN counted c ON c.store_id = m.store_id AND c.environment = m.environment
        AND c.month = m.month::timestamp AT TIME ZONE 'UTC'
      WHERE m.lines <> COALESCE(c.lines, 0)
      UNION ALL SELECT concat(store_id, ' in ', environment, ' closed its last month with ', COALESCE(r.amount, 0), ' ', part, ' ', currency,
        ' on ', network, ', the ledger has ', COALESCE(h.amount, 0))
      FROM recorded r FULL JOIN held h USING (store_id, environment, network, currency, part) WHERE r.amount IS DISTINCT FROM h.amount`,
  },
  {
    id: 'INV-2l',
    statement:
      'every booked cost of a transaction is in the ledger once and in the sum of its month, a wallet has as much staked as was booked of it, and only such entries are about coins',
    query: `WITH fact AS (SELECT 'attempt:' || id AS source, coin_booked_at IS NOT NULL AS is_booked, fee AS cost FROM refund_attempts
          UNION ALL SELECT 'sweep:' || id, coin_booked_at IS NOT NULL, fee FROM sweeps
          UNION ALL SELECT concat('allowance:', chain_id, ':', hash), coin_booked_at IS NOT NULL, fee FROM allowance_transactions
          UNION ALL SELECT 'rental:' || id, coin_booked_at IS NOT NULL, cost FROM energy_rentals),
        entry AS (SELECT e.coin_source AS source, -sum(p.amount) FILTER (WHERE p.account LIKE 'fee_coin:%') AS cost
          FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id WHERE e.coin_source NOT LIKE 'stake:%' GROUP BY 1),
        moved AS (SELECT split_part(e.coin_source, ':', 2) AS chain, split_part(e.coin_source, ':', 3) AS address,
            sum(p.amount) FILTER (WHERE p.account = 'fee_coin:staked:' || split_part(e.coin_source, ':', 3)) AS amount
          FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id WHERE e.coin_source LIKE 'stake:%' GROUP BY 1, 2)
      SELECT concat(source, ' has ', COALESCE(entry.cost, 0), ' of ', CASE WHEN is_booked THEN COALESCE(fact.cost, 0) ELSE 0 END) AS violation
      FROM fact FULL JOIN entry USING (source)
      WHERE COALESCE(entry.cost, 0) <> CASE WHEN is_booked THEN COALESCE(fact.cost, 0) ELSE 0 END
        OR (entry.source IS NOT NULL AND is_booked IS NOT TRUE)
      UNION ALL SELECT concat('the stake of ', COALESCE(s.address, moved.address), ' is booked as ', COALESCE(s.booked, 0), ', the entries have ',
        COALESCE(moved.amount, 0))
      FROM coin_stakes s FULL JOIN moved ON moved.chain = s.chain_id::text AND moved.address = s.address
      WHERE COALESCE(moved.amount, 0) <> COALESCE(s.booked, 0)
      UNION ALL SELECT concat(COALESCE(m.month, s.month), ' on ', COALESCE(m.network, s.network), ' is summed as ', m.sum, ', the entries have ', s.sum)
      FROM (SELECT environment, month, network, coin, network_fees + rent_paid - rent_returned + energy AS sum FROM coin_months) m
        FULL JOIN (SELECT e.environment, date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date AS month, p.network, p.currency AS coin,
            sum(p.amount) AS sum FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
          WHERE e.coin_source IS NOT NULL AND p.account NOT LIKE 'fee_coin:%' GROUP BY 1, 2, 3, 4) s USING (environment, month, network, coin)
      WHERE COALESCE(m.sum, 0) <> COALESCE(s.sum, 0)
      UNION ALL SELECT concat('posting ', p.id, ' is in ', p.account, ' of ', p.currency)
      FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id
      WHERE (split_part(p.account, ':', 1) IN ('fee_coin', 'expense', 'revenue')) <> (e.coin_source IS NOT NULL)`,
  },
  {
    id: 'INV-2m',
    statement:
      'a session never has a negative amount in quarantine, and entries of the quarantine move only its income',
    query: `SELECT concat('session ', e.session_id, ' has ', -sum(p.amount), ' ', p.currency, ' on ', p.network, ' in quarantine') AS violation
      FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id
      WHERE p.account LIKE 'quarantined:%' GROUP BY e.store_id, e.session_id, p.network, p.currency
      HAVING sum(p.amount) > 0 OR e.session_id IS NULL
      UNION ALL SELECT concat('entry ', e.id, ' ', e.kind, ' is about ', p.account)
      FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
      WHERE e.kind IN ('quarantined', 'quarantine_released') AND (p.account NOT IN ('store:' || e.store_id, 'quarantined:' || e.store_id)
        OR (p.amount < 0) <> ((e.kind = 'quarantined') = (p.account LIKE 'quarantined:%')))`,
  },
  {
    id: 'INV-2d',
    statement: 'the triggers that protect facts are enabled',
    query: `SELECT concat('trigger ', guard, ' is not enabled') AS violation FROM unnest(ARRAY['${GUARDS.join("','")}']) AS guard
      WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgname = guard AND t.tgenabled IN ('O', 'A'))`,
  },
];
