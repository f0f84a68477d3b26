// Refunds that two operators may force-fail, and who requested it: no signed transaction of these refunds can pay it any more.

import type { Db } from '@/lib/platform/database/db';
import { endOf, REFUND_END, type EndableHold, type EndAttempt } from '@/lib/refunds/approval/force-fail-agreed';

export type HeldEnd = {
  readonly digest: string;
  /** The transactions that cannot pay it. */
  readonly transactions: readonly string[];
  /** The operator who requested it; null before a request. */
  readonly requestedBy: { readonly userId: string; readonly name: string; readonly note: string | null } | null;
  /** The operator who declined it since, if any. */
  readonly declined: { readonly name: string; readonly note: string | null } | null;
};

type Requested = {
  refund: string;
  digest: string;
  requested_by: string;
  requester_name: string;
  is_approved: boolean | null;
  declined_name: string | null;
  note: string | null;
};

/**
 * Those of the refunds that can be force-failed. Refunds with both approvals are omitted, because the next run closes them.
 */
export async function readEnds(
  db: Db,
  held: readonly { readonly id: string; readonly hold: EndableHold }[],
): Promise<ReadonlyMap<string, HeldEnd>> {
  if (held.length === 0) return new Map();
  const refunds = held.map(({ id }) => id);
  const attempts = await db.query<EndAttempt & { refund: string }>({
    name: 'operator-ends',
    text: `SELECT intent_id AS refund, hash, judged, ended_at IS NULL AS is_open FROM refund_attempts
           WHERE intent_id = ANY($1) AND (ended_at IS NULL OR hash IS NOT NULL) ORDER BY intent_id, number`,
    values: [refunds],
  });
  const requested = await db.query<Requested>({
    name: 'operator-ends-asked',
    text: `SELECT DISTINCT ON (a.target, a.digest) a.target AS refund, encode(a.digest, 'hex') AS digest, a.note,
             a.requested_by, a.is_approved, coalesce(nullif(u.name, ''), u.email) AS requester_name,
             CASE WHEN a.decided_by IS NOT NULL AND NOT a.is_approved THEN coalesce(nullif(d.name, ''), d.email) END AS declined_name
           FROM approvals a JOIN users u ON u.id = a.requested_by LEFT JOIN users d ON d.id = a.decided_by
           WHERE a.kind = $2 AND a.target = ANY($1) AND (a.decided_at IS NULL OR a.decided_by IS NOT NULL)
           ORDER BY a.target, a.digest, a.decided_at DESC NULLS FIRST`,
    values: [refunds, REFUND_END],
  });
  const requests = new Map(requested.rows.map((row) => [`${row.refund} ${row.digest}`, row]));
  const ends = new Map<string, HeldEnd>();
  for (const { id, hold } of held) {
    const end = endOf(
      id,
      hold,
      attempts.rows.filter((row) => row.refund === id),
    );
    if (!end) continue;
    const digest = end.digest.toString('hex');
    const request = requests.get(`${id} ${digest}`);
    if (request?.is_approved) continue;
    ends.set(id, { digest, transactions: end.transactions, ...requestOf(request) });
  }
  return ends;
}

function requestOf(row: Requested | undefined): Pick<HeldEnd, 'requestedBy' | 'declined'> {
  if (!row) return { requestedBy: null, declined: null };
  const { note } = row;
  if (row.declined_name !== null) return { requestedBy: null, declined: { name: row.declined_name, note } };
  return { requestedBy: { userId: row.requested_by, name: row.requester_name, note }, declined: null };
}
