// Settles sessions from the facts: locks them, judges their transfers, and writes in the caller's transaction whatever
// follows: amount received, exception, ledger postings, cases, the move and its event. Safe to call any number of times.
// Called by the watcher for every batch of new transfers, by the expiry step and when somebody decided about a payment.

import { unixSeconds } from '@/lib/clock';
import type { Tx } from '@/lib/db';
import { postTransfers } from '@/lib/ledger/post';
import { recordPaymentEvent } from '@/lib/webhooks/record';
import type { SessionStatus } from '@/prisma/generated/enums';
import { judge, type Verdict } from './judge';
import { acceptUnfinished, openCases } from './open-cases';
import { loadForSettling, type SettledSession } from './settle-load';
import { moveStatus, SESSION_MOVES, type SessionMove } from './states';
import { askedToken } from './view';

/**
 * Recomputes these sessions. `holdSeconds`: how long after its expiry a session waits for a network that does not answer;
 * without it, for as long as it takes. Returns how many of them ended now.
 */
export async function settleSessions(
  tx: Tx,
  sessionIds: readonly string[],
  at: { now: Date; holdSeconds?: number },
): Promise<number> {
  let closed = 0;
  for (const session of await loadForSettling(tx, sessionIds)) {
    const verdict = judge(session, session.transfers, {
      now: unixSeconds(at.now),
      holdSeconds: at.holdSeconds ?? Number.POSITIVE_INFINITY,
      seen: session.seen,
      scannedThrough: session.scannedThrough,
    });
    await remember(tx, session, verdict);
    const move = verdict.move && (await close(tx, session, verdict, verdict.move, at.now)) ? verdict.move : null;
    const status = move ? SESSION_MOVES[move].to : session.status;
    await post(tx, session, verdict, status);
    await openCases(tx, session, status);
    if (move === 'accept') await acceptUnfinished(tx, session, at.now);
    if (move) closed++;
  }
  return closed;
}

/** What counts is the store's at once, but not in a session that has failed: there somebody decides first. */
function post(tx: Tx, session: SettledSession, verdict: Verdict, status: SessionStatus): Promise<void> {
  const transfers = session.transfers
    .filter(({ isPosted }) => !isPosted)
    .map((transfer) => ({
      transferId: transfer.id,
      storeId: session.storeId,
      environment: session.environment,
      sessionId: session.id,
      network: transfer.network,
      currency: transfer.currency,
      amount: transfer.amount,
      counts: verdict.counted.has(transfer.id) && status !== 'failed',
    }));
  return postTransfers(tx, transfers);
}

async function remember(tx: Tx, session: SettledSession, { received, exception }: Verdict): Promise<void> {
  if (received === session.amountReceived && exception === session.exception) return;
  await tx.query({
    name: 'remember-received',
    text: 'UPDATE sessions SET amount_received = $2, exception = $3::"SessionException" WHERE id = $1',
    values: [session.id, received, exception],
  });
}

const EVENTS = {
  complete: 'payment.completed',
  accept: 'payment.completed',
  expire: 'payment.expired',
  fail: 'payment.failed',
} as const;

async function close(
  tx: Tx,
  session: SettledSession,
  verdict: Verdict,
  move: Exclude<SessionMove, 'cancel'>,
  now: Date,
): Promise<boolean> {
  const by = verdict.completedBy !== null && SESSION_MOVES[move].to === 'completed' ? verdict.completedBy : null;
  if (!(await moveStatus(tx, session.id, move, by ? { at: now, completedBy: by } : { at: now }))) return false;
  await recordPaymentEvent(tx, {
    storeId: session.storeId,
    environment: session.environment,
    type: EVENTS[move],
    sessionId: session.id,
    orderId: session.orderId,
    amountDue: session.amountDue,
    // Null, and so "1", for USD, USDT and USDC, which count at par (decisions: Webhooks, exchange_rate).
    exchangeRate: session.exchangeRate,
    amountReceived: verdict.received,
    now,
    currency: by?.currency ?? askedToken(session, session.settlementCurrency),
    network: by?.network ?? null,
    transactionHash: by?.transactionHash ?? null,
  });
  return true;
}
