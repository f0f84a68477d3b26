// Whether only people can end a refund, and what exactly they agree to: these signed transactions, each judged unable to pay the
// refund by a final check of the chain. A different transaction or judgement is a different agreement.

import { sha256 } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import { canonicalJson } from '@/lib/platform/json/json-text';
import type { Judgement } from '@/lib/refunds/attempts';

/** `approvals.kind` of ending a refund; its target is the refund's id. */
export const REFUND_END = 'refund_end';

/** An attempt that has not ended, with what ending its refund depends on. */
export type OpenAttempt = { readonly hash: string | null; readonly judged: Judgement | null };

/**
 * SHA-256 of what the operators agree to. Null when there is no open attempt, or when one of them may still land. `open`: the
 * attempts without an outcome, ordered by number.
 */
export function endDigest(refund: string, open: readonly OpenAttempt[]): Buffer | null {
  if (open.length === 0 || open.some(({ hash, judged }) => hash === null || judged === null)) return null;
  return sha256(canonicalJson({ refund, transactions: open.map(({ hash, judged }) => ({ hash, judged })) }));
}

/** The attempts of a refund that have not ended, in the form that `endDigest` takes. */
export async function readOpenAttempts(db: Db, refund: string): Promise<readonly OpenAttempt[]> {
  const { rows } = await db.query<OpenAttempt>({
    name: 'refund-open-attempts',
    text: 'SELECT hash, judged FROM refund_attempts WHERE intent_id = $1 AND ended_at IS NULL ORDER BY number',
    values: [refund],
  });
  return rows;
}

/** Whether two operators agreed that the refund ends, with its open attempts as they are now. */
export async function isEndAgreed(db: Db, refund: string): Promise<boolean> {
  const digest = endDigest(refund, await readOpenAttempts(db, refund));
  if (!digest) return false;
  const { rowCount } = await db.query({
    name: 'refund-end-agreed',
    text: `SELECT 1 FROM approvals WHERE kind = $1 AND target = $2 AND digest = $3 AND is_approved
             AND decided_by IS NOT NULL AND decided_by <> requested_by`,
    values: [REFUND_END, refund, digest],
  });
  return rowCount !== 0;
}
