// The transactions made for a payment of the refund wallet, as the worker's steps read them. They read only what decides the next action and
// what is signed.

import type { Draft, Validity } from '@/lib/networks/sending/send';
import type { Db } from '@/lib/platform/database/db';
import type { Outcome } from '@/lib/signer/attestations/refund-evidence';
import type { AttemptStatus } from '@/prisma/generated/enums';

/**
 * Why a signed transaction can no longer pay as ordered, according to the final chain: another transaction has its nonce, or it is final
 * itself and moved something else.
 */
export type Judgement = 'nonce_taken' | 'moved_otherwise';

type AttemptFields = {
  readonly id: string;
  readonly number: number;
  readonly chainId: number;
  readonly draft: Draft;
  /** The attested outcome of the previous attempt; it is sent to the signer with this attempt. */
  readonly lapsed: Outcome | null;
  readonly draftedAt: Date;
};
/** A drafted attempt; only the signer knows whether it signed it. */
export type UnsignedAttempt = AttemptFields & { readonly status: 'drafted' | 'refused'; readonly hash: null };
export type SignedAttempt = AttemptFields & {
  readonly status: Exclude<AttemptStatus, 'drafted' | 'refused'>;
  readonly hash: string;
  readonly bytes: string;
  readonly validity: Validity;
  readonly signedAt: Date;
  readonly sentAt: Date | null;
  readonly seenAt: Date | null;
  readonly judged: Judgement | null;
};
export type Attempt = UnsignedAttempt | SignedAttempt;

/** The attempts of a payment, the oldest first. Excludes refused ones: they have no effect, and there can be many. */
export async function readAttempts(db: Db, intentId: string): Promise<readonly Attempt[]> {
  const { rows } = await db.query<AttemptColumns>({
    name: 'refund-attempts',
    text: `SELECT id, number, chain_id, status, draft, lapsed, hash, bytes, validity, drafted_at, signed_at, sent_at, seen_at,
             judged
           FROM refund_attempts WHERE intent_id = $1 AND status <> 'refused' ORDER BY number`,
    values: [intentId],
  });
  return rows.map(readAttempt);
}

/** The columns of a row, as narrow as the database's own checks allow. */
type AttemptColumns = {
  id: string;
  number: number;
  chain_id: number;
  draft: Draft;
  lapsed: Outcome | null;
  drafted_at: Date;
} & (
  | { status: UnsignedAttempt['status']; hash: null }
  | {
      status: SignedAttempt['status'];
      hash: string;
      bytes: string;
      validity: Validity;
      signed_at: Date;
      sent_at: Date | null;
      seen_at: Date | null;
      judged: Judgement | null;
    }
);

function readAttempt(row: AttemptColumns): Attempt {
  const { id, number, draft, lapsed } = row;
  const fields = { id, number, draft, lapsed, chainId: row.chain_id, draftedAt: row.drafted_at };
  if (row.hash === null) return { ...fields, status: row.status, hash: null };
  const { status, hash, bytes, validity, judged } = row;
  return {
    ...fields,
    status,
    hash,
    bytes,
    validity,
    judged,
    signedAt: row.signed_at,
    sentAt: row.sent_at,
    seenAt: row.seen_at,
  };
}

/** An attempt whose transaction may still land. */
export const isLive = (attempt: Attempt): attempt is SignedAttempt =>
  attempt.status === 'signed' || attempt.status === 'sent';
/** An attempt that the signer has signed or may have signed. */
export const isOpen = (attempt: Attempt): boolean => attempt.status === 'drafted' || isLive(attempt);
