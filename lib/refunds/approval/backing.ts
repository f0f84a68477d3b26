// Whether the chain backs a refund, regardless of what the web process wrote. The payments must have arrived at deposit addresses of
// the operator's wallet. The refunds of a session and of its exceptions may add up to no more than its payers provably sent.

import type { MacKeys } from '@/lib/platform/crypto';
import type { Db, Tx } from '@/lib/platform/database/db';
import { commonToCents } from '@/lib/money/amounts';
import { boundOf } from './bound';
import { readProvenTransfers } from '@/lib/refunds/destination/payers';
import { isWithinSent } from '@/lib/refunds/destination/payer-bound';
import type { Destination } from '@/lib/refunds/rows';
import type { RefundWork } from '@/lib/refunds/sending/sending-context';
import { countsTowards } from '@/lib/refunds/request/tokens';

/** The class of these advisory locks; the second part is the session. */
const LOCK_CLASS = 0x7e_f2;

/** Whether this much was paid to the session. Throws AddressSourceError when the owner of the deposit addresses cannot be determined. */
export async function isBacked(work: RefundWork, key: MacKeys): Promise<boolean> {
  const { mostCents } = await boundOf(work, key);
  if (work.payment.amount > BigInt(mostCents)) return false;
  return (await isToDepositAddresses(work, key)) && (await isWithin(work.context.pool, work, key));
}

/**
 * Checks the same sum again, and what goes back to this payer, in the transaction that sends the request to the signer. The lock serializes
 * refunds of one session that are drafted at the same time. An address from the customer has no separate bound.
 */
export async function isWithinProven(tx: Tx, work: RefundWork, { kind, address }: Destination): Promise<boolean> {
  const { context, sending, payment: refund } = work;
  const key = sending.signer?.evidenceKey;
  if (!key) return false;
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, refund.sessionId]);
  if (!(await isWithin(tx, work, key))) return false;
  return kind !== 'payer' || isWithinSent(tx, context.config, { ...refund, payer: address });
}

/** The web process inserts the session's row, so the stored addresses prove nothing. The wallet derives them again. */
async function isToDepositAddresses({ context, sending, payment: refund }: RefundWork, key: MacKeys): Promise<boolean> {
  const { rows } = await context.pool.query<{ index: number }>({
    name: 'refund-deposit-index',
    text: 'SELECT address_index AS index FROM sessions WHERE id = $1',
    values: [refund.sessionId],
  });
  const recipients = (await readProvenTransfers(context.pool, refund, key)).map(({ recipient }) => recipient);
  const [session] = rows;
  if (!session || !sending.deposits || recipients.length === 0) return false;
  return sending.deposits.owns(session.index, [...new Set(recipients)]);
}

/**
 * Counts refunds whose signature was requested, because the web process cannot undo those. Otherwise a transfer could be refunded twice,
 * with its session and as an exception, because the signer sums the two under different names.
 */
async function isWithin(db: Db, { context, payment: refund }: RefundWork, key: MacKeys): Promise<boolean> {
  const { rows } = await db.query<{ network: string; currency: string; cents: string }>({
    name: 'refund-session-asked',
    text: `SELECT network, currency, sum(amount) AS cents FROM refunds
           WHERE session_id = $1 AND id <> $2 AND status NOT IN ('failed', 'canceled')
             AND (signature_requested_at IS NOT NULL OR status = 'completed') GROUP BY network, currency`,
    values: [refund.sessionId, refund.id],
  });
  const counts = countsTowards(context.config, refund);
  const proven = (await readProvenTransfers(db, refund, key)).filter(counts);
  const sent = proven.reduce((sum, { amount }) => sum + amount, 0n);
  const requested = rows.filter(counts).reduce((sum, { cents }) => sum + BigInt(cents), 0n);
  return requested + refund.amount <= commonToCents(sent);
}
