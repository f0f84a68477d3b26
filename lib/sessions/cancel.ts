// Cancels a session for its merchant. Final: a payment that was mined before but is seen after is a late payment
// (decisions: Payment sessions). The status, the expiry and the event change in one transaction.

import { spendNonce, type Caller } from '@/lib/auth/nonces';
import { fromUnixSeconds, unixSeconds } from '@/lib/clock';
import type { Context } from '@/lib/context';
import { transaction, type Tx } from '@/lib/db';
import { ServiceError, type ErrorCode } from '@/lib/errors';
import { isStablecoin } from '@/lib/money';
import { recordPaymentEvent } from '@/lib/webhooks/record';
import type { SessionStatus } from '@/prisma/generated/enums';
import { lockSession } from './read';
import { moveStatus } from './states';
import { targetCurrency, type SessionFacts } from './view';

const REFUSALS: Readonly<Record<Exclude<SessionStatus, 'pending'>, ErrorCode>> = {
  canceled: 'SESSION_EXPIRED',
  expired: 'SESSION_EXPIRED',
  completed: 'SESSION_ALREADY_PAID',
  failed: 'SESSION_FAILED',
};

/** Cancels and returns the session as it is now. Throws ServiceError: not found, already ended, or a payment was seen. */
export const cancelSession = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  caller: Caller,
  sessionId: string,
): Promise<SessionFacts> =>
  transaction(pool, async (tx) => {
    await spendNonce(tx, caller);
    return cancelIn(tx, caller.key, { sessionId, now: clock.now() });
  });

/** As `cancelSession`, in a transaction of whoever may (by-store). */
export async function cancelIn(
  tx: Tx,
  of: Pick<Caller['key'], 'storeId' | 'environment'>,
  { sessionId, now }: { readonly sessionId: string; readonly now: Date },
): Promise<SessionFacts> {
  const { storeId, environment } = of;
  const session = await lockSession(tx, { key: of }, sessionId);
  if (session.status !== 'pending') throw new ServiceError(REFUSALS[session.status]);
  if (await isPaymentSeen(tx, session.id)) throw new ServiceError('PAYMENT_IN_PROGRESS');

  const expiresAt = fromUnixSeconds(unixSeconds(now));
  if (!(await moveStatus(tx, session.id, 'cancel', { at: now, expiresAt }))) throw new ServiceError('SESSION_EXPIRED');
  await recordPaymentEvent(tx, {
    storeId,
    environment,
    type: 'payment.cancelled',
    sessionId: session.id,
    orderId: session.orderId,
    amountDue: session.amountDue,
    // A USD session may offer several tokens; which one it would have been is not known then.
    currency: isStablecoin(session.currency) ? session.currency : targetCurrency(session),
    exchangeRate: session.exchangeRate,
    network: null,
    transactionHash: null,
    amountReceived: 0n,
    now,
  });
  return { ...session, status: 'canceled', expiresAt };
}

async function isPaymentSeen(tx: Tx, sessionId: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'is-payment-seen',
    text: `SELECT EXISTS (SELECT FROM sightings WHERE session_id = $1 AND orphaned_at IS NULL)
               OR EXISTS (SELECT FROM transfers WHERE session_id = $1) AS seen`,
    values: [sessionId],
  });
  return rows[0].seen;
}
