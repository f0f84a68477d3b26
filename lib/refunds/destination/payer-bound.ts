// The most that goes back to one payer of a session: what that payer provably sent. Without this bound, a payer whose payment was sent
// back as an exception could be paid a second time from what others paid.

import type { Config } from '@/lib/platform/config/config';
import type { Db } from '@/lib/platform/database/db';
import { commonToCentsUp } from '@/lib/money/amounts';
import { readProvenTransfers, type DestinedRefund } from './payers';
import { countsTowards } from '@/lib/refunds/request/tokens';

/** Cents of dust from other senders that are ignored when payers are counted. */
export const MAX_DUST = 1n;

type PayersRefund = DestinedRefund & { readonly currency: string; readonly payer: string };

/**
 * Whether this refund, together with all earlier signature requests for this payer of the session and its exceptions, is within the bound.
 * Only the check in the transaction that records the signature request is final (backing.ts).
 */
export async function isWithinSent(db: Db, config: Config, { payer, ...refund }: PayersRefund): Promise<boolean> {
  const key = config.EVIDENCE_KEY;
  if (!key) return false;
  const { rows } = await db.query<{ network: string; currency: string; cents: string }>({
    name: 'refund-back-to-payer',
    text: `SELECT network, currency, sum(amount) AS cents FROM refunds
           WHERE session_id = $1 AND (id = $2 OR (destination = $3 AND status NOT IN ('failed', 'canceled')
             AND (signature_requested_at IS NOT NULL OR status = 'completed'))) GROUP BY network, currency`,
    values: [refund.sessionId, refund.id, payer],
  });
  const counts = countsTowards(config, refund);
  const proven = (await readProvenTransfers(db, refund, key)).filter(counts);
  const sent = proven.reduce((sum, one) => (one.payer === payer ? sum + one.amount : sum), 0n);
  const back = rows.filter(counts).reduce((sum, { cents }) => sum + BigInt(cents), 0n);
  return back <= commonToCentsUp(sent) + MAX_DUST;
}
