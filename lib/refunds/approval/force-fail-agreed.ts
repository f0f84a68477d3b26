// Whether only people can end a refund, and what exactly they agree to: these signed transactions, each judged unable to pay the
// refund by a final check of the chain; or, of a refund that the screening holds, all that were signed, each of which has lapsed. A
// different transaction or judgement is a different agreement.

import { sameBytes, sha256 } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import { canonicalJson } from '@/lib/platform/json/json-text';
import type { Judgement } from '@/lib/refunds/attempts';
import { FOR_OPERATOR } from '@/lib/refunds/sending/plan';

/** `approvals.kind` of ending a refund; its target is the refund's id. */
export const REFUND_END = 'refund_end';

/** The holds of refunds that two operators may end. */
export const ENDABLE_HOLDS = [FOR_OPERATOR, 'screened'] as const;
export type EndableHold = (typeof ENDABLE_HOLDS)[number];

export const isEndable = (hold: string | null): hold is EndableHold =>
  ENDABLE_HOLDS.some((endable) => endable === hold);

/** An attempt that has not ended or was signed, with what ending its refund depends on. */
export type EndAttempt = {
  readonly hash: string | null;
  readonly judged: Judgement | null;
  readonly is_open: boolean;
};

export type End = { readonly digest: Buffer; readonly transactions: readonly string[] };

/**
 * What the operators agree to: the transactions that they see, and a SHA-256. Null when an attempt may still land, or when the worker ends
 * the refund without them. `attempts`: as `readEndAttempts` returns them.
 */
export function endOf(refund: string, hold: EndableHold, attempts: readonly EndAttempt[]): End | null {
  const open = attempts.filter((one) => one.is_open);
  if (hold === 'screened') {
    if (open.length > 0) return null;
    const transactions = hashesOf(attempts);
    return { digest: sha256(canonicalJson({ refund, screened: [...transactions] })), transactions };
  }
  if (open.length === 0 || open.some(({ hash, judged }) => hash === null || judged === null)) return null;
  const digest = sha256(canonicalJson({ refund, transactions: open.map(({ hash, judged }) => ({ hash, judged })) }));
  return { digest, transactions: hashesOf(open) };
}

const hashesOf = (attempts: readonly EndAttempt[]): readonly string[] =>
  attempts.flatMap(({ hash }) => (hash === null ? [] : [hash]));

/** The attempts of a refund that its end depends on: not those that the signer provably did not sign. */
export async function readEndAttempts(db: Db, refund: string): Promise<readonly EndAttempt[]> {
  const { rows } = await db.query<EndAttempt>({
    name: 'refund-end-attempts',
    text: `SELECT hash, judged, ended_at IS NULL AS is_open FROM refund_attempts
           WHERE intent_id = $1 AND (ended_at IS NULL OR hash IS NOT NULL) ORDER BY number`,
    values: [refund],
  });
  return rows;
}

/** Whether two operators agreed that the refund ends from this hold, with its attempts as they are now. */
export async function isEndAgreed(db: Db, refund: string, hold: EndableHold): Promise<boolean> {
  // Read first, because almost no payment has one.
  const { rows } = await db.query<{ digest: Buffer }>({
    name: 'refund-end-agreed',
    text: `SELECT digest FROM approvals WHERE kind = $1 AND target = $2 AND is_approved
             AND decided_by IS NOT NULL AND decided_by <> requested_by`,
    values: [REFUND_END, refund],
  });
  if (rows.length === 0) return false;
  const digest = endOf(refund, hold, await readEndAttempts(db, refund))?.digest;
  return digest !== undefined && rows.some((one) => sameBytes(one.digest, digest));
}
