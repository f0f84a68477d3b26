// Limits how often payments open a token account for one payee. On Solana the payer of a payment pays the rent of the account, and the
// payee can close the account and keep that rent.

import type { Db, Tx } from '@/lib/platform/database/db';
import type { PaymentOrder } from '@/lib/networks/sending/send';
import type { Hold } from '@/lib/refunds/sending/lease';
import { holdOf, type Work } from '@/lib/refunds/sending/sending-context';

/** More accounts than an honest customer closes by tidying up a wallet. */
export const MAX_ACCOUNTS_PER_PAYEE = 3;
const WITHIN_DAYS = 30;
/** The class of these advisory locks; the second part is a hash of the payee. */
const LOCK_CLASS = 0x7e_f1;

type Payee = Pick<PaymentOrder, 'to' | 'currency'>;

/**
 * `opens`: whether the draft opens an account. Returns why the payment has to wait, or null; `busy` until other payments to the payee are
 * final. The lock orders the payments to one payee. A payee who closes the account after the draft is paid into a new one, which is known
 * once that payment is final. Until then any payment may have opened one, and counts. So the limit holds however many are under way.
 */
export async function checkRentLimit(
  tx: Tx,
  work: Work,
  { opens, ...payee }: Payee & { readonly opens: boolean },
): Promise<Hold | 'busy' | null> {
  if (work.sending.spec.family !== 'solana') return null;
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, payee.to]);
  const { opened, undecided } = await countOpened(tx, work, payee);
  const most = opens ? MAX_ACCOUNTS_PER_PAYEE - 1 : MAX_ACCOUNTS_PER_PAYEE;
  if (opened > most) return holdOf('account_limit');
  return opened + undecided > most ? 'busy' : null;
}

/** Asked before the draft, so that payments which wait for others to one payee use no endpoint requests. */
export async function isPayeeBusy(db: Db, work: Work, payee: Payee): Promise<boolean> {
  if (work.sending.spec.family !== 'solana') return false;
  const { opened, undecided } = await countOpened(db, work, payee);
  return undecided > 0 && opened + undecided > MAX_ACCOUNTS_PER_PAYEE;
}

/** The payments that opened an account for the payee, and those that may still open one. */
async function countOpened(db: Db, { context, payment, chainId }: Work, { to, currency }: Payee) {
  const { rows } = await db.query<{ opened: number; undecided: number }>({
    name: 'refund-accounts-opened',
    // The name of the network is part of the indexes refunds_to_payee and payouts_to_payee.
    text: `SELECT count(DISTINCT r.id) FILTER (WHERE a.rent IS NOT NULL)::int AS opened,
             count(DISTINCT r.id) FILTER (WHERE a.rent IS NULL)::int AS undecided
           FROM (SELECT id, destination, currency FROM refunds WHERE network = 'solana'
               UNION ALL SELECT id, destination, currency FROM payouts WHERE network = 'solana'
               UNION ALL SELECT id, destination, currency FROM cold_transfers WHERE network = 'solana') r
             JOIN refund_attempts a ON a.intent_id = r.id
           WHERE r.destination = $1 AND r.currency = $2 AND a.chain_id = $5 AND r.id <> $3
             AND (a.status IN ('drafted', 'signed', 'sent') OR (a.status = 'landed' AND a.rent IS NOT NULL)) AND a.drafted_at > $4`,
    values: [to, currency, payment.id, new Date(context.clock.now().getTime() - WITHIN_DAYS * 86_400_000), chainId],
  });
  return rows[0] ?? { opened: 0, undecided: 0 };
}
