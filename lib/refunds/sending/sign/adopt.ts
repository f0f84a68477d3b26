// Adopts attempts that the signer signed and the database does not know, after a crash or in a database restored from a backup. They may
// have been broadcast, and the worker follows only attempts in the database.

import { BadDraft, type Draft, type Validity } from '@/lib/networks/sending/send';
import { checkDraft } from '@/lib/networks/sending/draft';
import type { Tx } from '@/lib/platform/database/db';
import type { KnownAttempt } from '@/lib/signer/client';
import { underLease } from '@/lib/refunds/sending/lease';
import { readAttempts, type UnsignedAttempt } from '@/lib/refunds/attempts';
import type { PaymentTable } from '@/lib/refunds/rows';
import { moveAttempts } from '@/lib/refunds/states';
import { putOnHold, holdOf, orderFor, namedInLog, type Work } from '@/lib/refunds/sending/sending-context';
import { draftOfSigned } from './read-signed';

type SignedBytes = { readonly hash: string; readonly bytes: string; readonly validity: Validity };
type Adopted = SignedBytes & { readonly draft: Draft; readonly signedAt: Date };

/**
 * Adopts the payment's attempts that the signer signed and the database lacks. `none`: there are none, so a drafted `attempt` was provably
 * not signed. `adopted`: the payment continues with them. `held`: the payment is on hold, because the signer does not return the bytes now,
 * or signed something other than this payment. Throws AddressSourceError.
 */
export async function adoptUnknown(work: Work, attempt: UnsignedAttempt | null): Promise<'none' | 'adopted' | 'held'> {
  const { context, sending, payment } = work;
  if (!sending.signer) return 'none';
  const stored = await readAttempts(context.pool, payment.id);
  const hashes = new Set(stored.map(({ hash }) => hash));
  const unknown = (await sending.signer.calls.attempts(payment.id)).filter(({ hash }) => !hashes.has(hash));
  if (unknown.length === 0) return 'none';
  const read = unknown.map((one) => readKnown(work, one));
  const found = read.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  if (found.length < read.length) {
    await putOnHold(work, holdOf(read.includes('elsewhere') ? 'unclear' : 'frozen'));
    return 'held';
  }
  await underLease(context.pool, payment, async (tx) => {
    const now = context.clock.now();
    for (const one of found) {
      // A recovery stores all attempts of the journal as drafts, also those that were replaced.
      const drafted = stored.find(({ status, draft }) => status === 'drafted' && draft.unsigned === one.draft.unsigned);
      await (drafted ? storeSigned(tx, drafted.id, one, one.signedAt) : insertSigned(tx, work, one));
    }
    if (attempt && !found.some(({ draft }) => draft.unsigned === attempt.draft.unsigned))
      await endDrafted(tx, attempt.id, 'the signer had signed another attempt before', now);
    await tx.query({
      name: `${payment.table}-adopted`,
      text: `UPDATE ${payment.table} SET signature_requested_at = coalesce(signature_requested_at, $2), hold = NULL, hold_message = NULL, held_at = NULL WHERE id = $1`,
      values: [payment.id, now],
    });
  });
  context.log.warn(
    { ...namedInLog(payment), attempts: found.length },
    'signed payments were taken over from the signer',
  );
  return 'adopted';
}

/** The signed attempt if it pays this payment's order to its destination; otherwise why not. */
function readKnown(work: Work, { hash, bytes, validity, at, item }: KnownAttempt): Adopted | 'hidden' | 'elsewhere' {
  const { context, sending, payment } = work;
  if (bytes === null) return 'hidden';
  if (!payment.destination) return 'elsewhere';
  try {
    const draft = draftOfSigned(sending.spec.family, payment.id, { bytes, validity, item });
    const order = orderFor(work, payment.destination.address);
    checkDraft(draft, { order, from: draft.from, chainId: sending.spec.chainId, mostFee: 1n << 255n });
    const now = context.clock.now();
    // A later date would mark the wallet's transactions as known until then (wallet-check/known.ts).
    const signedAt = at === undefined ? now : new Date(Math.min(at, now.getTime()));
    return { hash, bytes, validity, draft, signedAt };
  } catch (error) {
    if (error instanceof BadDraft) return 'elsewhere';
    throw error;
  }
}

/** Stores the signature of a drafted attempt. */
export async function storeSigned(tx: Tx, attemptId: string, signed: SignedBytes, at: Date): Promise<void> {
  await moveAttempts(tx, {
    name: 'refund-signed',
    move: 'sign',
    set: 'hash = $2, bytes = $3, validity = $4, signed_at = $5',
    where: 'id = $1',
    values: [attemptId, signed.hash, signed.bytes, JSON.stringify(signed.validity), at],
  });
}

/**
 * Ends an attempt that the signer provably did not sign. The payment can be canceled again at once only if its first signature was requested
 * once, by the worker that now has the response: another worker's request may still be in flight (withdraw.ts).
 */
export async function refuseAttempt(
  tx: Tx,
  table: PaymentTable,
  refused: { attempt: UnsignedAttempt; isFirst: boolean; now: Date; outcome: string },
): Promise<void> {
  const intentId = await endDrafted(tx, refused.attempt.id, refused.outcome, refused.now);
  if (intentId === null || !refused.isFirst) return;
  await tx.query({
    name: `${table}-not-asked`,
    text: `UPDATE ${table} SET signature_requested_at = NULL WHERE id = $1
             AND NOT EXISTS (SELECT FROM refund_attempts WHERE intent_id = $1 AND status <> 'refused')`,
    values: [intentId],
  });
}

async function endDrafted(tx: Tx, attemptId: string, outcome: string, now: Date): Promise<string | null> {
  const [intentId] = await moveAttempts(tx, {
    name: 'refund-refused',
    move: 'refuse',
    set: 'outcome = $2, ended_at = $3',
    where: 'id = $1',
    values: [attemptId, outcome, now],
  });
  return intentId ?? null;
}

async function insertSigned(
  tx: Tx,
  { chainId, payment }: Work,
  { draft, hash, bytes, validity, signedAt }: Adopted,
): Promise<void> {
  await tx.query({
    name: 'refund-adopt',
    text: `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
           SELECT $1, coalesce(max(number), 0) + 1, $2, 'signed', $3, $4, $5, $6, $7, $7
           FROM refund_attempts WHERE intent_id = $1`,
    values: [payment.id, chainId, JSON.stringify(draft), hash, bytes, JSON.stringify(validity), signedAt],
  });
}
