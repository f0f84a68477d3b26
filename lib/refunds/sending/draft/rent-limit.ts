// Limits how often payments open a token account for one payee. On Solana the payer of a payment pays the rent of the account, and the
// payee can close the account and keep that rent.

import type { Tx } from '@/lib/platform/database/db';
import type { PaymentOrder } from '@/lib/networks/sending/send';
import type { Hold } from '@/lib/refunds/sending/lease';
import { holdOf, type Work } from '@/lib/refunds/sending/sending-context';

/** More accounts than an honest customer closes by tidying up a wallet. */
export const MAX_ACCOUNTS_PER_PAYEE = 3;
const WITHIN_DAYS = 30;
/** The class of these advisory locks; the second part is a hash of the payee. */
const LOCK_CLASS = 0x7e_f1;

/**
 * `opens`: whether the draft opens an account. Returns why the payment has to wait, or null. The lock orders the payments to one payee. A
 * payee who closes the account after the draft is paid into a new one: each such account counts too, once it is final. So a payee
 * who went beyond the limit in this way is not paid, whether the account exists or not.
 */
export async function checkRentLimit(
  tx: Tx,
  { context, payment, chainId, sending }: Work,
  { to, currency, opens }: Pick<PaymentOrder, 'to' | 'currency'> & { readonly opens: boolean },
): Promise<Hold | null> {
  if (sending.spec.family !== 'solana') return null;
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, to]);
  const { rows } = await tx.query<{ opened: number }>({
    name: 'refund-accounts-opened',
    text: `SELECT count(DISTINCT r.id)::int AS opened FROM (SELECT id, destination, currency FROM refunds UNION ALL SELECT id, destination, currency FROM payouts
               UNION ALL SELECT id, destination, currency FROM cold_transfers) r
             JOIN refund_attempts a ON a.intent_id = r.id
           WHERE r.destination = $1 AND r.currency = $2 AND a.chain_id = $5 AND r.id <> $3 AND a.rent IS NOT NULL
             AND a.status IN ('drafted', 'signed', 'sent', 'landed') AND a.drafted_at > $4`,
    values: [to, currency, payment.id, new Date(context.clock.now().getTime() - WITHIN_DAYS * 86_400_000), chainId],
  });
  const most = opens ? MAX_ACCOUNTS_PER_PAYEE - 1 : MAX_ACCOUNTS_PER_PAYEE;
  return (rows[0]?.opened ?? 0) <= most ? null : holdOf('account_limit');
}
