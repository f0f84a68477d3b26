// Invariants of sessions, transfers, events and cursors (INV-1, 5, 6, 8, 9, 10), as queries.

import { mayBeArchived, type Invariant } from './invariant';

/** The part of a session's transfers that was credited to its store, at eighteen decimals. */
const CREDITED = `SELECT e.session_id, sum(-p.amount * power(10::numeric, 18 - t.decimals)) AS amount
  FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id AND p.account LIKE 'store:%'
    JOIN transfers t ON t.id = e.transfer_id
  GROUP BY e.session_id`;

const ENDS = `(VALUES ('completed', 'payment.completed'), ('expired', 'payment.expired'), ('failed', 'payment.failed'),
  ('canceled', 'payment.cancelled')) AS ends (status, type)`;

export const PAYMENT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'INV-1a',
    statement: 'every transfer is stored once',
    query: `SELECT concat('transaction ', transaction_hash, ' of chain ', chain_id, ' has ', count(*), ' transfers ', ordinal) AS violation
      FROM transfers GROUP BY chain_id, transaction_hash, ordinal HAVING count(*) > 1`,
  },
  {
    id: 'INV-1b',
    statement: 'every transfer went to the address of its session',
    query: `SELECT concat('transfer ', t.id, ' of session ', t.session_id, ' went to another address') AS violation
      FROM transfers t LEFT JOIN sessions s ON s.id = t.session_id
      WHERE s.id IS NULL OR t.recipient NOT IN (s.evm_address, s.tron_address, s.solana_address)`,
  },
  {
    id: 'INV-1c',
    statement: 'a session is completed exactly when its store was credited with the price',
    query: `SELECT concat('session ', s.id, ' is ', s.status, ' over ', s.amount_due, ' cents, credited ',
          trim_scale(COALESCE(c.amount, 0) / power(10::numeric, 16))) AS violation
      FROM sessions s LEFT JOIN (${CREDITED}) c ON c.session_id = s.id
      WHERE (s.status = 'completed') <> (COALESCE(c.amount, 0) >= s.amount_due * power(10::numeric, 16))`,
  },
  {
    id: 'INV-5a',
    statement: 'a session’s history ends in its status, and only an acceptance follows a terminal state',
    query: `WITH last AS (SELECT DISTINCT ON (session_id) session_id, "to" FROM session_status_changes ORDER BY session_id, id DESC)
      SELECT concat('session ', s.id, ' is ', s.status, ', its history says ', COALESCE(l."to"::text, 'pending')) AS violation
      FROM sessions s LEFT JOIN last l ON l.session_id = s.id
      WHERE s.status IS DISTINCT FROM COALESCE(l."to", 'pending'::"SessionStatus")
      UNION ALL SELECT concat('session ', session_id, ' went from ', "from", ' to ', "to")
      FROM session_status_changes WHERE "from" <> 'pending' AND move <> 'accept'`,
  },
  {
    id: 'INV-6a',
    statement:
      'every terminal state of a session has its event, unless it was archived, and every event its terminal state',
    query: `SELECT concat('session ', s.id, ' is ', s.status, ' without ', ends.type) AS violation
      FROM sessions s JOIN ${ENDS} ON ends.status = s.status::text
      WHERE NOT EXISTS (SELECT FROM events e WHERE e.object_id = s.id AND e.type = ends.type) AND NOT ${mayBeArchived('s.closed_at')}
      UNION ALL SELECT concat('event ', e.id, ' tells ', e.type, ' of session ', e.object_id)
      FROM events e JOIN ${ENDS} ON ends.type = e.type LEFT JOIN sessions s ON s.id = e.object_id
      WHERE NOT e.is_test AND (s.id IS NULL OR ends.status NOT IN (s.status::text, COALESCE(s.accepted_from::text, '')))
      UNION ALL SELECT concat(object_id, ' has ', count(*), ' events ', type) FROM events GROUP BY object_id, type, cause HAVING count(*) > 1`,
  },
  {
    id: 'INV-6c',
    statement: 'a delivery’s count equals its recorded attempts, is within its lane’s maximum, and its end has a cause',
    // A response other than a success, 429 or 5xx ends a delivery early (lib/webhooks/delivery/schedule).
    query: `WITH made AS (SELECT delivery_id, count(*) AS n, bool_or(status_code BETWEEN 200 AND 299) AS taken,
            bool_or(status_code NOT BETWEEN 200 AND 299 AND status_code <> 429 AND status_code < 500) AS refused
          FROM delivery_attempts GROUP BY delivery_id)
      SELECT concat('delivery ', d.id, ' is ', d.status, ', counts ', d.attempts, ' attempts and has ', COALESCE(m.n, 0)) AS violation
      FROM deliveries d LEFT JOIN made m ON m.delivery_id = d.id
      WHERE d.attempts <> COALESCE(m.n, 0) OR d.attempts > CASE d.lane WHEN 'slow' THEN 12 ELSE 6 END OR (d.status = 'pending') <> (d.finished_at IS NULL)
        OR (d.status = 'delivered' AND m.taken IS NOT TRUE)
        OR (d.status = 'failed' AND d.attempts < 6 AND m.refused IS NOT TRUE AND EXISTS (SELECT FROM webhook_endpoints w
          WHERE w.store_id = d.store_id AND w.environment = d.environment AND w.created_at < d.created_at))`,
  },
  {
    id: 'INV-8',
    statement: 'no deposit address belongs to two sessions, or to a session and the pool',
    query: `WITH taken AS (
          SELECT address, session FROM sessions s, LATERAL (VALUES (s.evm_address, s.id), (s.tron_address, s.id), (s.solana_address, s.id))
            AS own (address, session)
          UNION ALL SELECT address, concat('pool ', p.address_index) FROM address_pool p,
            LATERAL (VALUES (p.evm_address), (p.tron_address), (p.solana_address)) AS own (address))
      SELECT concat('address ', address, ' belongs to ', count(DISTINCT session)) AS violation
      FROM taken GROUP BY address HAVING count(DISTINCT session) > 1
      UNION ALL SELECT concat('index ', address_index, ' belongs to ', count(*), ' sessions')
      FROM sessions GROUP BY address_index HAVING count(*) > 1`,
  },
  {
    id: 'INV-9a',
    statement: 'the amount due is the price at the locked rate, rounded up to the cent',
    query: `SELECT concat('session ', id, ' is due ', amount_due, ' cents for ', amount_total, ' ', currency, ' at ', exchange_rate) AS violation
      FROM sessions WHERE amount_due <> CASE WHEN exchange_rate IS NULL THEN amount_total
        ELSE ceil(amount_total * exchange_rate::numeric * 100 / power(10::numeric, ($1::jsonb ->> currency)::int)) END`,
  },
  {
    id: 'INV-9b',
    statement: 'events report the rate of their session',
    query: `SELECT concat('event ', e.id, ' has another rate than session ', s.id) AS violation
      FROM events e JOIN sessions s ON s.id = e.object_id
      WHERE e.body::jsonb #>> '{data,object,exchange_rate}' IS DISTINCT FROM COALESCE(s.exchange_rate, '1')`,
  },
  {
    id: 'INV-10',
    statement: 'no unconfirmed transfer is below the final cursor',
    query: `SELECT concat('chain ', id, ' is final above its tip') AS violation FROM chains WHERE final_number > tip_number
      UNION ALL SELECT concat('unconfirmed transfer ', s.id, ' in block ', s.block_number, ' is below the final block ', c.final_number)
      FROM unconfirmed_transfers s JOIN chains c ON c.id = s.chain_id
      WHERE s.orphaned_at IS NULL AND s.block_number <= c.final_number`,
  },
  {
    id: 'INV-15',
    statement: 'every transfer is in the ledger, with its whole amount',
    query: `SELECT concat('transfer ', t.id, ' of session ', t.session_id, ' has ', COALESCE(sum(p.amount), 0), ' of ', t.amount) AS violation
      FROM transfers t LEFT JOIN ledger_entries e ON e.transfer_id = t.id AND e.kind = 'transfer'
        LEFT JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'received' AND p.network = t.network AND p.currency = t.currency
      GROUP BY t.id HAVING COALESCE(sum(p.amount), 0) <> t.amount`,
  },
];
