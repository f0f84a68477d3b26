// The state machine of a session as one table; every other module derives the possible moves from it. A status changes only through
// `moveStatus`, which returns whether this caller made the change.

import { noteChange } from '@/lib/platform/database/changes';
import type { Tx } from '@/lib/platform/database/db';
import type { SessionStatus } from '@/prisma/generated/enums';

/** `accept`: an accepted payment completes a session that closed unpaid (lib/payments/exceptions). */
export type SessionMove = 'complete' | 'expire' | 'fail' | 'cancel' | 'accept';

export const SESSION_MOVES: Readonly<
  Record<SessionMove, { readonly from: readonly SessionStatus[]; readonly to: SessionStatus }>
> = {
  complete: { from: ['pending'], to: 'completed' },
  expire: { from: ['pending'], to: 'expired' },
  fail: { from: ['pending'], to: 'failed' },
  cancel: { from: ['pending'], to: 'canceled' },
  accept: { from: ['expired', 'failed', 'canceled'], to: 'completed' },
};

/** Columns that a move sets together with the status. */
export type MoveDetails = {
  readonly at: Date;
  readonly expiresAt?: Date;
  readonly completedBy?: { readonly network: string; readonly currency: string; readonly transactionHash: string };
};

// A session that an accepted payment completes keeps its former status, because later payments are still judged by it.
const MOVE = {
  name: 'move-session',
  text: `WITH before AS (
           SELECT id, status FROM sessions WHERE id = $1 AND status = ANY($2::"SessionStatus"[]) FOR UPDATE),
         moved AS (
           UPDATE sessions s SET status = $3::"SessionStatus", closed_at = $4, expires_at = coalesce($5, s.expires_at),
                  completed_network = $6, completed_currency = $7, completed_transaction = $8,
                  accepted_from = CASE WHEN before.status <> 'pending' THEN before.status END
           FROM before WHERE s.id = before.id RETURNING s.id, before.status, s.store_id, s.order_id, s.request_id, s.traceparent),
         change AS (
           INSERT INTO session_status_changes (session_id, move, "from", "to", at)
           SELECT id, $9, status, $3::"SessionStatus", $4 FROM moved)
         SELECT status, store_id, order_id, request_id, traceparent FROM moved`,
};
type MovedRow = {
  status: SessionStatus;
  store_id: string;
  order_id: string;
  request_id: string | null;
  traceparent: string | null;
};

/** Makes the move and records it. Returns false when the move cannot start from the status of the session. */
export async function moveStatus(tx: Tx, sessionId: string, move: SessionMove, details: MoveDetails): Promise<boolean> {
  const { from, to } = SESSION_MOVES[move];
  const { network, currency, transactionHash } = details.completedBy ?? {};
  const values = [
    sessionId,
    from,
    to,
    details.at,
    details.expiresAt ?? null,
    network ?? null,
    currency ?? null,
    transactionHash ?? null,
    move,
  ];
  const { rows } = await tx.query<MovedRow>({ ...MOVE, values });
  const [moved] = rows;
  if (!moved) return false;
  noteChange(tx, {
    ...{ of: 'session', from: moved.status, to, session: sessionId, store: moved.store_id },
    ...{
      order_id: moved.order_id,
      request_id: moved.request_id,
      traceparent: moved.traceparent,
      transaction: transactionHash ?? null,
    },
  });
  return true;
}
