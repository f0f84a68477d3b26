// A refund that was recovered from the signer's journal has no name of its merchant's: the journal knows the intent only. When
// the merchant asks for it again, under the name that the intent was made of, the refund takes that name and is answered.

import type { Tx } from '@/lib/db';

/** What a recovered refund is called until then; no merchant can find the name out before. */
export const recoveredName = (intentId: string): string => `recovered_${intentId}`;

/** A refund as its merchant asks for it; `amount` in cents. */
export type AskedAgain = {
  readonly intentId: string;
  readonly refundId: string;
  readonly sessionId: string;
  readonly amount: bigint | number;
  readonly currency: string;
  readonly reason: string | null;
  readonly description: string | null;
  /** JSON text. */
  readonly metadata: string | null;
  readonly hash: Buffer;
};

/** Gives a recovered refund its name. False when it is not recovered, or has another session, amount or currency. */
export async function adoptRecovered(tx: Tx, asked: AskedAgain): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'refund-adopt',
    text: `UPDATE refunds SET refund_id = $2, reason = $6, description = $7, metadata = $8::json, request_hash = $9
           WHERE id = $1 AND refund_id = 'recovered_' || id AND session_id = $3 AND amount = $4 AND currency = $5`,
    values: [
      asked.intentId,
      asked.refundId,
      asked.sessionId,
      asked.amount,
      asked.currency,
      asked.reason,
      asked.description,
      asked.metadata,
      asked.hash,
    ],
  });
  return rowCount === 1;
}
