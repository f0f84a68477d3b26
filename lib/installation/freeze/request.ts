// The freeze switch in the operator console. It writes a row that the worker carries out, because the web process cannot reach
// the signer. Once the row is committed, no new payment is drafted (refunds/approval). The signer itself refuses from the moment
// that it receives the request. Unfreezing is only possible at the signer's own terminal.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db } from '@/lib/platform/database/db';

export type Freezing = {
  /** `user:<id>`. */
  readonly by: string;
  readonly reason: string;
  readonly address: string;
};

/** Requests a freeze. A no-op while one is being carried out. Returns the request's number. */
export async function requestFreeze(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { by, reason, address }: Freezing,
): Promise<string> {
  const now = clock.now();
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string; is_new: boolean }>({
      name: 'freeze-ask',
      text: `WITH waiting AS (SELECT id FROM freeze_requests WHERE carried_out_at IS NULL ORDER BY id LIMIT 1),
               made AS (INSERT INTO freeze_requests (reason, requested_by, requested_at)
                 SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM waiting) RETURNING id)
             SELECT id, false AS is_new FROM waiting UNION ALL SELECT id, true FROM made`,
      values: [reason, by, now],
    });
    const [row] = rows;
    if (!row) throw new Error('the freeze request was not stored');
    if (row.is_new) {
      const entry = { actor: by, storeId: null, action: 'signing.freeze', target: `freeze/${row.id}` };
      await recordAudit(tx, { ...entry, details: { reason }, address, now });
    }
    return row.id;
  });
}

/** The state of the switch. Times are null until they occur. */
export type FreezeState = {
  /** Null until the signer has answered. */
  readonly isFrozen: boolean | null;
  readonly reason: string | null;
  /** When the signer last answered. */
  readonly readAt: Date | null;
  /** Why it does not answer; null when it does. */
  readonly trouble: string | null;
  readonly checkedAt: Date | null;
  /** Whether an operator confirmed that the wallet's recovery words are written down. Null until a signer has reported it. */
  readonly areWordsConfirmed: boolean | null;
  /** A request that has not reached the signer yet. */
  readonly waiting: { readonly requestedAt: Date; readonly trouble: string | null } | null;
  /** The console's last request: its operator and reason. */
  readonly last: { readonly requestedBy: string; readonly reason: string; readonly carriedOutAt: Date | null } | null;
};

/** One round trip. */
export async function readFreeze(db: Db): Promise<FreezeState> {
  const { rows } = await db.query<Row>({
    name: 'freeze-read',
    text: `SELECT s.is_frozen, s.reason, s.read_at, s.trouble, s.checked_at, s.words_confirmed, w.requested_at, w.trouble AS waiting_trouble,
             l.requested_by, l.reason AS asked_reason, l.carried_out_at
           FROM (VALUES (1)) AS one LEFT JOIN signer_states s ON true
           LEFT JOIN (SELECT requested_at, trouble FROM freeze_requests WHERE carried_out_at IS NULL ORDER BY id LIMIT 1) w ON true
           LEFT JOIN (SELECT coalesce(nullif(u.name, ''), u.email, f.requested_by) AS requested_by, f.reason, f.carried_out_at
             FROM freeze_requests f LEFT JOIN users u ON 'user:' || u.id = f.requested_by ORDER BY f.id DESC LIMIT 1) l ON true`,
    values: [],
  });
  const row = rows[0] as Row;
  return {
    isFrozen: row.is_frozen,
    reason: row.reason,
    readAt: row.read_at,
    trouble: row.trouble,
    checkedAt: row.checked_at,
    areWordsConfirmed: row.words_confirmed,
    waiting: row.requested_at ? { requestedAt: row.requested_at, trouble: row.waiting_trouble } : null,
    last: row.requested_by
      ? { requestedBy: row.requested_by, reason: row.asked_reason ?? '', carriedOutAt: row.carried_out_at }
      : null,
  };
}

type Row = {
  is_frozen: boolean | null;
  reason: string | null;
  read_at: Date | null;
  trouble: string | null;
  checked_at: Date | null;
  words_confirmed: boolean | null;
  requested_at: Date | null;
  waiting_trouble: string | null;
  requested_by: string | null;
  asked_reason: string | null;
  carried_out_at: Date | null;
};
