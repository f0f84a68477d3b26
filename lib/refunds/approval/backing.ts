// Whether the chain backs a refund, whatever the web process wrote: the payments arrived at deposit addresses of the operator's
// wallet, and the refunds of a session, its exceptions included, return no more together than its payers provably sent.

import type { Db, Tx } from '@/lib/platform/database/db';
import { commonToCents } from '@/lib/money/amounts';
import { boundOf } from './bound';
import { provenOf } from '@/lib/refunds/destination/payers';
import { isWithinSent } from '@/lib/refunds/destination/payer-bound';
import type { Destination } from '@/lib/refunds/rows';
import type { Work } from '@/lib/refunds/payout/payout-context';
import { ofOneWorth } from '@/lib/refunds/request/tokens';

/** Any number that no other two-part advisory lock uses; the second part is the session. */
const LOCK_CLASS = 0x7e_f2;

/** Whether so much was paid to the session. Throws AddressSourceError while nothing tells whose the deposit addresses are. */
export async function isBacked(work: Work, key: Uint8Array): Promise<boolean> {
  const { mostCents } = await boundOf(work, key);
  if (work.refund.amount > BigInt(mostCents)) return false;
  return (await isToDepositAddresses(work, key)) && (await isWithin(work.context.pool, work, key));
}

/**
 * The same sum once more, and what goes back to the one payer, in the transaction that asks the signer: refunds of one session that
 * are drafted at once wait for each other here. An address that a customer gave has no bound of its own.
 */
export async function isWithinProven(tx: Tx, work: Work, { kind, address }: Destination): Promise<boolean> {
  const { context, line, refund } = work;
  const key = line.signer?.evidenceKey;
  if (!key) return false;
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, refund.sessionId]);
  if (!(await isWithin(tx, work, key))) return false;
  return kind !== 'payer' || isWithinSent(tx, context.config, { ...refund, payer: address });
}

/** A session's row names its addresses, and web inserts that row. So the wallet itself is asked whose they are. */
async function isToDepositAddresses({ context, line, refund }: Work, key: Uint8Array): Promise<boolean> {
  const { rows } = await context.pool.query<{ index: number }>({
    name: 'refund-deposit-index',
    text: 'SELECT address_index AS index FROM sessions WHERE id = $1',
    values: [refund.sessionId],
  });
  const recipients = (await provenOf(context.pool, refund, key)).map(({ recipient }) => recipient);
  const [session] = rows;
  if (!session || !line.deposits || recipients.length === 0) return false;
  return line.deposits.owns(session.index, [...new Set(recipients)]);
}

/**
 * Counts refunds that the signer was asked for: web cannot take these back. A transfer could otherwise be paid twice, with its
 * session and as an exception, because the signer adds the two up under different names.
 */
async function isWithin(db: Db, { context, refund }: Work, key: Uint8Array): Promise<boolean> {
  const { rows } = await db.query<{ network: string; currency: string; cents: string }>({
    name: 'refund-session-asked',
    text: `SELECT network, currency, sum(amount) AS cents FROM refunds
           WHERE session_id = $1 AND id <> $2 AND status NOT IN ('failed', 'canceled')
             AND (asked_at IS NOT NULL OR status = 'completed') GROUP BY network, currency`,
    values: [refund.sessionId, refund.id],
  });
  const counts = ofOneWorth(context.config, refund);
  const proven = (await provenOf(db, refund, key)).filter(counts);
  const sent = proven.reduce((sum, { amount }) => sum + amount, 0n);
  const asked = rows.filter(counts).reduce((sum, { cents }) => sum + BigInt(cents), 0n);
  return asked + refund.amount <= commonToCents(sent);
}
