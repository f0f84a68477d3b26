// A refund that was recovered from the signer's journal lacks the merchant's name for it: the journal knows only the intent. When the
// merchant requests it again, under the name that the intent was derived from, the refund takes that name and is returned.

import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { JsonObject } from '@/lib/platform/json/json';
import { jsonText } from '@/lib/platform/json/json-text';
import { refundFacts, type RefundRow } from '@/lib/refunds/read';
import type { CreateRefundRequest } from '@/lib/refunds/request/schema';
import type { RefundFacts } from '@/lib/refunds/view';

/** The name of a recovered refund until then. No merchant can choose a name that derives the intent it contains. */
export const recoveredName = (intentId: string): string => `recovered_${intentId}`;

/** `payer`: the one that the request pays back; null for a request without a payer. */
type Adopted = { readonly request: CreateRefundRequest; readonly hash: Buffer; readonly payer: string | null };

/**
 * Gives a recovered refund the name and the texts of the request, whose hash is `hash`, and returns its present state. Throws
 * REFUND_ID_CONFLICT when it has a different session, amount, currency or payer.
 */
export async function adoptRecovered(tx: Tx, row: RefundRow, { request, hash, payer }: Adopted): Promise<RefundFacts> {
  const { refund_id, session_id, amount, currency, metadata } = request;
  const texts = {
    reason: request.reason ?? null,
    description: request.description ?? null,
    metadata: metadata === undefined ? null : jsonText(metadata as JsonObject),
  };
  const { rowCount } = await tx.query({
    name: 'refund-adopt-recovered',
    text: `UPDATE refunds SET refund_id = $2, reason = $6, description = $7, metadata = $8::json, request_hash = $9,
             payer = coalesce(payer, $10)
           WHERE id = $1 AND refund_id = 'recovered_' || id AND session_id = $3 AND amount = $4 AND currency = $5
             AND ($10::text IS NULL OR payer IS NULL OR payer = $10)`,
    values: [
      row.id,
      refund_id,
      session_id,
      amount,
      currency,
      texts.reason,
      texts.description,
      texts.metadata,
      hash,
      payer,
    ],
  });
  if (rowCount !== 1) throw new ServiceError('REFUND_ID_CONFLICT', { param: 'refund_id' });
  return refundFacts({ ...row, ...texts, refund_id });
}
