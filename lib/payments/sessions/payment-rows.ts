// The SQL that reads the payments of a session, final and unconfirmed, for the hosted page and for the merchant's API.

import type { ExceptionState } from '@/prisma/generated/enums';
import { decisionOf, returnedOf } from './settle/judge';

/** A final or unconfirmed transfer to the session's address. */
export type PaymentRow = {
  readonly final: boolean;
  readonly network: string;
  readonly currency: string;
  readonly contract: string;
  readonly transaction_hash: string;
  /** Its place among the transfers of its transaction. */
  readonly ordinal: number;
  readonly block_number: number;
  /** Unix seconds. */
  readonly block_time: number;
  /** Base units as decimal text. */
  readonly amount: string;
  readonly orphaned: boolean;
  /** The decision about it; null when there was nothing to decide. */
  readonly decision: ExceptionState | null;
  /** Base units that are owed or already refunded to the sender, as decimal text. */
  readonly returned: string;
  readonly tip_number: number;
  readonly final_lag: number;
};

/** Adds the fields for merchants only: the sender and the payment exception. */
export type MerchantPaymentRow = PaymentRow & { readonly payer: string; readonly exception_id: string | null };

/** Limit of the list. Only dust leads to more payments than this, so the largest ones of each network and token are listed. */
const MAX_PAYMENTS = 50;

const COLUMNS = `final, network, currency, contract, transaction_hash, block_number, block_time, amount, orphaned, decision, returned, tip_number,
         final_lag, ordinal`;

/**
 * A JSON array of the payments of the session `s`, in the order of the chain. An unconfirmed transfer that has become final is read
 * as the final one. An unconfirmed transfer on a chain that has been retired can never become final. 64-bit amounts are read as
 * text and stay exact.
 */
export function paymentRows({ forMerchant }: { readonly forMerchant: boolean }): string {
  const more = (columns: string): string => (forMerchant ? `, ${columns}` : '');
  return `coalesce((SELECT json_agg(p) FROM (
         SELECT ${COLUMNS}${more('payer, exception_id')} FROM (
         SELECT *, row_number() OVER (PARTITION BY network, currency ORDER BY amount::numeric DESC, block_time, transaction_hash, ordinal) AS size FROM (
           SELECT true AS final, t.network, t.currency, t.contract, t.transaction_hash, t.block_number,
                  extract(epoch FROM t.block_time)::int AS block_time, t.amount::text, false AS orphaned,
                  ${decisionOf('pc')} AS decision, (${returnedOf('pc')})::text AS returned, c.tip_number, c.final_lag, t.ordinal${more('t.payer, pc.id::text AS exception_id')}
             FROM transfers t JOIN chains c ON c.id = t.chain_id LEFT JOIN payment_exceptions pc ON pc.transfer_id = t.id
            WHERE t.session_id = s.id
           UNION ALL
           SELECT false, c.network, g.currency, g.contract, g.transaction_hash, g.block_number,
                  extract(epoch FROM g.block_time)::int, g.amount::text,
                  g.orphaned_at IS NOT NULL OR c.retired_at IS NOT NULL, NULL, '0', c.tip_number, c.final_lag, g.ordinal${more('g.payer, NULL')}
             FROM unconfirmed_transfers g JOIN chains c ON c.id = g.chain_id
            WHERE g.session_id = s.id AND NOT EXISTS (
              SELECT FROM transfers t WHERE t.chain_id = g.chain_id
                 AND t.transaction_hash = g.transaction_hash AND t.ordinal = g.ordinal)
         ) every ORDER BY size, block_time, transaction_hash, ordinal LIMIT ${MAX_PAYMENTS}) largest ORDER BY block_time, transaction_hash, ordinal) p), '[]')`;
}
