// The statements that create a refund. One spends the nonce and locks the session. The other counts the amount for session and day and
// inserts the refund, or has no effect at all.

import { SPEND_NONCE, SPENT_COLUMNS } from '@/lib/merchants/api-keys/nonces';
import type { SessionStatus } from '@/prisma/generated/enums';
import { REFUND_COLUMNS } from '@/lib/refunds/read';

/** The caller's session, locked, with what its store may refund. */
export type LockedRow = {
  refund_day_limit: string;
  refund_window_days: number;
  /** Whether the session belongs to another store. */
  elsewhere: boolean;
} & (
  | {
      id: string;
      status: SessionStatus;
      amount_due: string;
      amount_refunded: string;
      closed_at: Date | null;
      completed_network: string | null;
    }
  | { id: null }
);

/** SQL over the placeholders of the session, the store and the environment. */
const session = (id: string, store: string, environment: string): string => `
           session AS MATERIALIZED (SELECT id, status, amount_due, amount_refunded, closed_at, completed_network FROM sessions
             WHERE id = ${id} AND store_id = ${store} AND environment = ${environment}::"Environment" FOR UPDATE)`;

export const LOCK_SESSION_SQL = `WITH ${SPEND_NONCE}, ${session('$3', '$4', '$5')}
         SELECT ${SPENT_COLUMNS}, st.refund_day_limit, st.refund_window_days, session.*,
           EXISTS (SELECT FROM sessions o WHERE o.id = $3 AND o.environment = $5::"Environment" AND o.store_id <> $4) AS elsewhere
         FROM stores st LEFT JOIN session ON true WHERE st.id = $4`;

/** For the store's members: do not reveal that a session belongs to another store. */
export const LOCK_OWN_SESSION_SQL = `WITH ${session('$1', '$2', '$3')}
         SELECT st.status AS store_status, st.refund_day_limit, st.refund_window_days, session.*, false AS elsewhere
         FROM stores st LEFT JOIN session ON true WHERE st.id = $2`;

// Inserts a row only if the session and the day have room for the amount, and the day for one more refund.
export const INSERT_REFUND = {
  name: 'refund-insert',
  text: `WITH session AS (
           UPDATE sessions SET amount_refunded = amount_refunded + $6 WHERE id = $5 RETURNING order_id),
         day AS (
           INSERT INTO refund_days AS d (store_id, environment, day, amount, count)
           SELECT $2, $3::"Environment", $13::date, $6, 1 FROM session WHERE $6 <= $15::bigint
           ON CONFLICT (store_id, environment, day) DO UPDATE SET amount = d.amount + excluded.amount, count = d.count + 1
             WHERE d.amount + excluded.amount <= $15::bigint AND d.count < $16::int RETURNING 1),
         r AS (
           INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, amount, currency, network, reason,
             description, metadata, request_hash, day, created_at, payer, request_id, traceparent)
           SELECT $1, $2, $3::"Environment", $4, $5, session.order_id, $6, $7, $8, $9, $10, $11::json, $12, $13::date, $14, $17, $18, $19
           FROM session, day RETURNING *),
         change AS (
           INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'create', status, $14 FROM r)
         SELECT ${REFUND_COLUMNS} FROM r`,
};
