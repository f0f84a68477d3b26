// Payments of the wallet that may not be in a block yet. An endpoint reports the wallet's balance from before them. A payment drafted
// without regard to them could find the wallet empty in its block and fail permanently.

import type { Unmined } from '@/lib/networks/sending/send';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { Work } from '@/lib/refunds/sending/sending-context';

/** How long after one endpoint saw a payment in a block all endpoints in use know it, or are the last to draft (send-endpoints.ts). */
const KNOWN_AFTER_MILLISECONDS = 60_000;

/**
 * Other payments on the followed chain of which no transaction has been in a block long enough. A judged transaction is
 * left out: it can never land, or it is final and the wallet's balance shows what it moved.
 */
export async function readUnmined(
  { context, sending, payment, chainId }: Work,
  /** The payments that are drafted. */
  except: readonly string[] = [payment.id],
): Promise<Unmined> {
  const { rows } = await context.pool.query<{ payments: number; cents: string }>({
    name: 'refunds-unmined',
    text: `SELECT count(*)::int AS payments, coalesce(sum(r.amount) FILTER (WHERE r.currency = $3), 0)::text AS cents
           FROM (SELECT intent_id FROM refund_attempts WHERE chain_id = $1 AND ended_at IS NULL AND judged IS NULL AND intent_id <> ALL($2)
                 GROUP BY intent_id HAVING bool_and(seen_at IS NULL OR seen_at > $4)) open
             CROSS JOIN LATERAL (SELECT amount, currency FROM refunds WHERE id = open.intent_id
               UNION ALL SELECT amount, currency FROM payouts WHERE id = open.intent_id
               UNION ALL SELECT amount, currency FROM cold_transfers WHERE id = open.intent_id) r`,
    values: [chainId, except, payment.currency, new Date(context.clock.now().getTime() - KNOWN_AFTER_MILLISECONDS)],
  });
  const { payments = 0, cents = '0' } = rows[0] ?? {};
  const token = sending.spec.tokens[payment.currency];
  if (!token)
    throw new Error(`there is no ${payment.currency} on ${sending.network}, and refund ${payment.id} is in it`);
  return { payments, tokens: centsToBaseUnits(BigInt(cents), token.decimals) };
}
