// Invariants of refunds, payouts and cold transfers and their attempts (INV-3, 4, 5, 6), as queries.

import { mayBeArchived, type Invariant } from './invariant';

/** A refund that was recovered from the signer's journal as failed (lib/refunds/recovery/write). It moved nothing. */
const RECOVERED_AS_FAILED = `EXISTS (SELECT FROM refund_status_changes c WHERE c.intent_id = r.id AND c.move = 'recover' AND c."to" = 'failed')`;

/** Block heights for which a Solana block hash is valid. */
const BLOCKHASH_HEIGHTS = 150;
/**
 * The attempt `one` could not land any more when `other` was drafted: the signer demanded proof of it. Attempts that were recovered from
 * the signer's journal are open together until the worker has followed each one to its end.
 */
const EXPIRED_BEFORE = `COALESCE((one.validity ->> 'expiresAt')::numeric <= extract(epoch FROM other.drafted_at)
  OR (one.validity ->> 'lastValidBlockHeight')::numeric <= (other.validity ->> 'lastValidBlockHeight')::numeric - ${BLOCKHASH_HEIGHTS}, false)`;

/** Refunds, payouts and cold transfers: what the refund wallet pays. */
const PAYMENTS = `(SELECT id, status, transaction_hash, 'refund' AS what FROM refunds
  UNION ALL SELECT id, status, transaction_hash, 'payout' FROM payouts
  UNION ALL SELECT id, status, transaction_hash, 'cold transfer' FROM cold_transfers) r`;

const ENDS = `(VALUES ('completed', 'refund.succeeded'), ('failed', 'refund.failed')) AS ends (status, type)`;

/** Of a group of attempts: two payments have the same place, or one of them is sent alone and another one in a batch. */
const SHARED = `(count(DISTINCT intent_id) > count(DISTINCT coalesce(draft ->> 'item', 'alone'))
  OR (bool_or(draft ->> 'item' IS NULL) AND bool_or(draft ->> 'item' IS NOT NULL)))`;

export const REFUND_INVARIANTS: readonly Invariant[] = [
  {
    id: 'INV-3a',
    statement: 'the refunds of a session are within its price, and their sum is its refunded amount',
    query: `WITH given AS (SELECT session_id, sum(amount) AS amount FROM refunds
          WHERE case_id IS NULL AND status IN ('pending', 'processing', 'completed') GROUP BY session_id)
      SELECT concat('session ', s.id, ' counts ', s.amount_refunded, ' cents, its refunds are ', COALESCE(g.amount, 0), ' of ',
        s.amount_due) AS violation
      FROM sessions s LEFT JOIN given g ON g.session_id = s.id
      WHERE s.amount_refunded <> COALESCE(g.amount, 0) OR COALESCE(g.amount, 0) > LEAST(s.amount_due, s.amount_received)`,
  },
  {
    id: 'INV-3b',
    statement: 'the refunds of a payment exception are within its amount',
    query: `SELECT concat('case ', c.id, ' gives back ', sum(r.amount), ' cents') AS violation
      FROM refunds r JOIN payment_exceptions c ON c.id = r.case_id JOIN transfers t ON t.id = c.transfer_id
      WHERE r.status IN ('pending', 'processing', 'completed') GROUP BY c.id, t.id
      HAVING sum(r.amount) * power(10::numeric, t.decimals - 2) > c.amount - c.counted`,
  },
  {
    id: 'INV-3c',
    statement:
      'every signed refund is reserved, and the ledger has released and paid amounts as the refunds’ statuses say',
    query: `WITH entry AS (SELECT intent_id, bool_or(kind = 'refund_reserved') AS reserved, bool_or(kind = 'refund_released') AS released,
          bool_or(kind = 'refund_paid') AS paid FROM ledger_entries WHERE intent_id IS NOT NULL GROUP BY intent_id)
      SELECT concat('refund ', r.id, ' is ', r.status, ' but reserved ', COALESCE(e.reserved, false), ', released ',
        COALESCE(e.released, false), ', paid ', COALESCE(e.paid, false)) AS violation
      FROM refunds r LEFT JOIN entry e ON e.intent_id = r.id
      WHERE (COALESCE(e.reserved, false) AND (r.case_id IS NOT NULL OR ${RECOVERED_AS_FAILED}))
        OR (NOT COALESCE(e.reserved, false) AND r.case_id IS NULL AND NOT ${RECOVERED_AS_FAILED} AND r.signature_requested_at IS NOT NULL)
        OR (COALESCE(e.reserved, false) AND r.status IN ('failed', 'canceled')) <> COALESCE(e.released, false)
        OR (r.status = 'completed') <> COALESCE(e.paid, false)
      UNION ALL SELECT concat('the ledger has entries of refund ', e.intent_id, ', which is not there')
      FROM entry e WHERE NOT EXISTS (SELECT FROM refunds r WHERE r.id = e.intent_id)
        AND NOT EXISTS (SELECT FROM payouts r WHERE r.id = e.intent_id)
        AND NOT EXISTS (SELECT FROM cold_transfers r WHERE r.id = e.intent_id)
        AND NOT EXISTS (SELECT FROM cold_returns r WHERE r.id = e.intent_id)`,
  },
  {
    id: 'INV-3d',
    statement: 'every payout is reserved, and the ledger has released and paid it as its status says, to the unit',
    query: `WITH entry AS (SELECT e.intent_id, p.network, p.currency,
          COALESCE(-sum(p.amount) FILTER (WHERE e.kind = 'payout_reserved'), 0) AS reserved,
          COALESCE(sum(p.amount) FILTER (WHERE e.kind = 'payout_released'), 0) AS released,
          COALESCE(sum(p.amount) FILTER (WHERE e.kind = 'payout_paid'), 0) AS paid,
          COALESCE(sum(p.amount) FILTER (WHERE e.kind = 'payout_fee'), 0) AS costs
        FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
        WHERE p.account = 'payout:' || e.store_id GROUP BY 1, 2, 3)
      SELECT concat('payout ', COALESCE(r.id, e.intent_id), ' is ', r.status, ', reserved ', e.reserved, ', released ', e.released, ', paid ',
        e.paid, ' and ', e.costs, ' for fee and network cost of ', r.fee + r.network_cost, ' cents, ', e.currency, ' on ', e.network) AS violation
      FROM payouts r FULL JOIN entry e ON e.intent_id = r.id
      WHERE r.id IS NULL OR (e.intent_id IS NULL AND NOT ${RECOVERED_AS_FAILED})
        OR (e.network, e.currency) <> (r.network, r.currency) OR e.reserved <= 0
        OR e.released <> CASE WHEN r.status IN ('failed', 'canceled') THEN e.reserved ELSE 0 END
        OR e.paid + e.costs <> CASE WHEN r.status = 'completed' THEN e.reserved ELSE 0 END
        OR e.reserved * r.amount <> e.paid * (r.amount + r.fee + r.network_cost) AND r.status = 'completed'`,
  },
  {
    id: 'INV-3e',
    statement: 'every completed cold transfer, and no other one, is in the ledger with its amount',
    query: `WITH entry AS (SELECT e.intent_id, p.network, p.currency, sum(p.amount) AS amount FROM ledger_entries e
          JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'cold' WHERE e.kind = 'cold_transfer' GROUP BY 1, 2, 3)
      SELECT concat('cold transfer ', COALESCE(r.id, e.intent_id), ' is ', r.status, ' over ', r.amount, ' cents, the ledger has ', e.amount)
        AS violation
      FROM cold_transfers r FULL JOIN entry e ON e.intent_id = r.id
      WHERE r.id IS NULL OR (r.status = 'completed') <> (e.intent_id IS NOT NULL)
        OR (e.network, e.currency) <> (r.network, r.currency) OR e.amount <= 0 OR e.amount % r.amount <> 0`,
  },
  {
    id: 'INV-3f',
    statement: 'every landed cold return, and no other one, is in the ledger with its amount',
    query: `WITH entry AS (SELECT e.intent_id, p.network, p.currency, sum(p.amount) AS amount FROM ledger_entries e
          JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'refund_wallet' WHERE e.kind = 'cold_return' GROUP BY 1, 2, 3)
      SELECT concat('cold return ', COALESCE(r.id, e.intent_id), ' is ', r.outcome, ' over ', r.amount, ', the ledger has ', e.amount)
        AS violation
      FROM cold_returns r FULL JOIN entry e ON e.intent_id = r.id
      WHERE r.id IS NULL OR (r.outcome IS NOT DISTINCT FROM 'landed') <> (e.intent_id IS NOT NULL)
        OR (e.network, e.currency, e.amount) <> (r.network, r.currency, r.amount)`,
  },
  {
    id: 'INV-4a',
    statement: 'at most one attempt of a payment lands, and it completes the payment',
    query: `WITH landed AS (SELECT intent_id, count(*) AS n, min(hash) AS hash FROM refund_attempts WHERE status = 'landed' GROUP BY intent_id)
      SELECT concat(r.what, ' ', r.id, ' is ', r.status, ' by ', COALESCE(r.transaction_hash, 'nothing'), ', landed are ', COALESCE(l.n, 0)) AS violation
      FROM ${PAYMENTS} LEFT JOIN landed l ON l.intent_id = r.id
      WHERE COALESCE(l.n, 0) > 1 OR (r.status = 'completed') <> (l.n IS NOT NULL) OR r.transaction_hash IS DISTINCT FROM l.hash
      UNION ALL SELECT concat('attempt ', a.id, ' is of no refund, payout or cold transfer') FROM refund_attempts a
      WHERE NOT EXISTS (SELECT FROM refunds r WHERE r.id = a.intent_id) AND NOT EXISTS (SELECT FROM payouts r WHERE r.id = a.intent_id)
        AND NOT EXISTS (SELECT FROM cold_transfers r WHERE r.id = a.intent_id)`,
  },
  {
    id: 'INV-4b',
    statement: 'two attempts of a payment that may land share a nonce',
    query: `SELECT concat('payment ', one.intent_id, ' has attempts ', one.number, ' and ', other.number, ' that may both land') AS violation
      FROM refund_attempts one JOIN refund_attempts other ON other.intent_id = one.intent_id AND other.number > one.number
      WHERE one.status IN ('signed', 'sent', 'landed') AND other.status IN ('signed', 'sent', 'landed')
        AND NOT ${EXPIRED_BEFORE} AND (one.chain_id <> other.chain_id OR one.validity ->> 'nonce' IS DISTINCT FROM other.validity ->> 'nonce'
          OR one.validity ->> 'nonce' IS NULL)`,
  },
  {
    id: 'INV-4c',
    // Items of a batch share both, each in a place of its own.
    statement: 'no two payments share a transaction or a nonce that may still land, but as items of one batch',
    query: `SELECT concat('payments ', min(intent_id), ' and ', max(intent_id), ' share ', hash) AS violation
      FROM refund_attempts WHERE hash IS NOT NULL GROUP BY chain_id, hash HAVING ${SHARED}
      UNION ALL SELECT concat('payments ', min(intent_id), ' and ', max(intent_id), ' share nonce ', validity ->> 'nonce')
      FROM refund_attempts WHERE status IN ('signed', 'sent', 'landed', 'reverted') AND validity ->> 'nonce' IS NOT NULL
      GROUP BY chain_id, lower(draft ->> 'from'), validity ->> 'nonce' HAVING ${SHARED}`,
  },
  {
    id: 'INV-5b',
    statement: 'the history of a refund or payout ends in its status, and nothing follows a terminal state',
    query: `WITH last AS (SELECT DISTINCT ON (intent_id) intent_id, "to" FROM refund_status_changes ORDER BY intent_id, id DESC)
      SELECT concat(r.what, ' ', r.id, ' is ', r.status, ', its history says ', COALESCE(l."to"::text, 'pending')) AS violation
      FROM ${PAYMENTS} LEFT JOIN last l ON l.intent_id = r.id
      WHERE r.status IS DISTINCT FROM COALESCE(l."to", 'pending'::"RefundStatus")
      UNION ALL SELECT concat('payment ', intent_id, ' went from ', "from", ' to ', "to")
      FROM refund_status_changes WHERE "from" IN ('completed', 'failed', 'canceled')`,
  },
  {
    id: 'INV-5c',
    statement: 'a canceled payment was never signed, and a payment in a terminal state has no open attempt',
    query: `SELECT concat(r.what, ' ', r.id, ' is ', r.status, ' with attempt ', a.number, ' ', a.status) AS violation
      FROM ${PAYMENTS} JOIN refund_attempts a ON a.intent_id = r.id
      WHERE (r.status IN ('pending', 'canceled') AND a.status <> 'refused')
        OR (r.status IN ('completed', 'failed') AND a.ended_at IS NULL)`,
  },
  {
    id: 'INV-6b',
    statement:
      'every terminal state of a refund has its event, unless it was archived, and every event its terminal state',
    query: `SELECT concat('refund ', r.id, ' is ', r.status, ' without ', ends.type) AS violation
      FROM refunds r JOIN ${ENDS} ON ends.status = r.status::text
      WHERE NOT ${RECOVERED_AS_FAILED} AND NOT EXISTS (SELECT FROM events e WHERE e.object_id = r.id AND e.type = ends.type)
        AND NOT ${mayBeArchived('r.created_at')}
      UNION ALL SELECT concat('event ', e.id, ' tells ', e.type, ' of refund ', e.object_id)
      FROM events e JOIN ${ENDS} ON ends.type = e.type LEFT JOIN refunds r ON r.id = e.object_id
      WHERE NOT e.is_test AND r.status::text IS DISTINCT FROM ends.status`,
  },
];
