// Withdraws the signature request of a payment that was never signed, so that it can be canceled again. A refusal of the first request does so
// at once (adopt.ts). After a request without an answer another one may still be in flight, so that this waits.

import { underLease } from '@/lib/refunds/sending/lease';
import type { Work } from '@/lib/refunds/sending/sending-context';
import { adoptUnknown } from './adopt';
import { callOrHold } from './call';

/** Minutes after the last refusal until the request may be withdrawn. By then the signer has answered any request of a worker that lost its lease. */
const REFUSED_PAUSE = 5;

/** SQL: all attempts of a payment have ended without a signature, and the last one long enough before `now`. */
export const isRefused = (id: string, now: string): string =>
  `coalesce((SELECT bool_and(a.status = 'refused' AND a.ended_at <= ${now}::timestamptz - interval '${REFUSED_PAUSE} minutes')
     FROM refund_attempts a WHERE a.intent_id = ${id}), false)`;

/**
 * The caller has made sure that the signer's journal and the database agree, and that no attempt of the payment is open or was signed. Null
 * when nothing changed. If a suspended worker still sends its request after a cancel, what the signer signs is not stored, and so never
 * broadcast; the check of the journal then freezes signing.
 */
export async function withdrawRequest(work: Work): Promise<'continues' | 'idle' | null> {
  const { context, sending, payment } = work;
  // The step of cold transfers cancels them itself, because only one may be open without a request.
  if (payment.table === 'cold_transfers' || payment.signatureRequestedAt === null || !sending.signer) return null;
  // A request that a suspended worker sent late may have been signed after the refusal that is stored.
  const known = await callOrHold(work, () => adoptUnknown(work, null));
  if (known !== 'none') return known === 'adopted' ? 'continues' : 'idle';
  const withdrawn = await underLease(context.pool, payment, (tx) =>
    tx.query({
      name: `${payment.table}-withdraw-request`,
      text: `UPDATE ${payment.table} SET signature_requested_at = NULL WHERE id = $1 AND ${isRefused('$1', '$2')}`,
      values: [payment.id, context.clock.now()],
    }),
  );
  return withdrawn?.rowCount === 1 ? 'continues' : null;
}
