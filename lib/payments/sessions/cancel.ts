// Cancels a session for its merchant. This is final: a payment that was mined before but observed after is a late payment. The
// status, the expiry and the event change in one transaction.

import { spendNonce, type Caller } from '@/lib/merchants/api-keys/nonces';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Log } from '@/lib/platform/log';
import { ServiceError, type ErrorCode } from '@/lib/platform/errors/errors';
import { recordPaymentEvent } from '@/lib/webhooks/events/record';
import type { SessionStatus } from '@/prisma/generated/enums';
import { sessionsBeingPaid } from './being-paid';
import { lockSession } from './read';
import { settleSessions } from './settle/settle';
import { moveStatus } from './states';
import { requestedToken, type SessionFacts } from './view';

const REFUSALS: Readonly<Record<Exclude<SessionStatus, 'pending'>, ErrorCode>> = {
  canceled: 'SESSION_EXPIRED',
  expired: 'SESSION_EXPIRED',
  completed: 'SESSION_ALREADY_PAID',
  failed: 'SESSION_FAILED',
};

/**
 * Cancels and returns the session. Throws ServiceError when it is not found, past its expiry (also while the worker still waits for
 * chain time), closed, or has a payment on its way.
 */
export const cancelSession = (
  { pool, clock, log }: Pick<Context, 'pool' | 'clock' | 'log'>,
  caller: Caller,
  sessionId: string,
): Promise<SessionFacts> =>
  transaction(pool, async (tx) => {
    await spendNonce(tx, caller);
    return cancelIn(tx, caller.key, { sessionId, now: clock.now(), log });
  });

/** Like `cancelSession`, in the transaction of an authorized caller. */
export async function cancelIn(
  tx: Tx,
  of: Pick<Caller['key'], 'storeId' | 'environment'>,
  { sessionId, now, log }: { readonly sessionId: string; readonly now: Date; readonly log: Log },
): Promise<SessionFacts> {
  const { storeId, environment } = of;
  const session = await lockSession(tx, { key: of }, sessionId);
  if (session.status !== 'pending') throw new ServiceError(REFUSALS[session.status]);
  const expiresAt = fromUnixSeconds(unixSeconds(now));
  if (expiresAt >= session.expiresAt) throw new ServiceError('SESSION_EXPIRED');
  if ((await sessionsBeingPaid(tx, [session.id])).size > 0) throw new ServiceError('PAYMENT_IN_PROGRESS');

  if (!(await moveStatus(tx, session.id, 'cancel', { at: now, expiresAt }))) throw new ServiceError('SESSION_EXPIRED');
  await recordPaymentEvent(tx, {
    storeId,
    environment,
    type: 'payment.cancelled',
    sessionId: session.id,
    orderId: session.orderId,
    amountDue: session.amountDue,
    currency: requestedToken(session, session.settlementCurrency),
    exchangeRate: session.exchangeRate,
    network: null,
    transactionHash: null,
    amountReceived: 0n,
    now,
  });
  // Dust that arrived counts for nothing from now on.
  await settleSessions(tx, [session.id], { now, log });
  return { ...session, status: 'canceled', expiresAt };
}
