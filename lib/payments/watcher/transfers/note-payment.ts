// The line in the log for a transfer that was stored, with what a person knows its session by.

import { noteChange } from '@/lib/platform/database/changes';
import type { Tx } from '@/lib/platform/database/db';

/** SQL over the stored row. */
export const NAMES_OF_SESSION = `(SELECT s.order_id FROM sessions s WHERE s.id = session_id) AS order_id,
      (SELECT s.request_id FROM sessions s WHERE s.id = session_id) AS request_id,
      (SELECT s.traceparent FROM sessions s WHERE s.id = session_id) AS traceparent`;

export type StoredRow = {
  session_id: string;
  transaction_hash: string;
  order_id: string | null;
  request_id: string | null;
  traceparent: string | null;
};

export const notePayment = (tx: Tx, to: 'seen' | 'final', row: StoredRow): void =>
  noteChange(tx, {
    ...{ of: 'payment', to, session: row.session_id, transaction: row.transaction_hash },
    ...{ order_id: row.order_id, request_id: row.request_id, traceparent: row.traceparent },
  });
