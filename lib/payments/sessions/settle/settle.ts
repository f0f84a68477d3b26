// Settles sessions from the facts: locks them, judges their transfers, and writes the results in the caller's transaction: amount
// received, exception, ledger postings, payment exceptions, the move and its event. Safe to call any number of times. Callers are
// the watcher for every batch of new transfers, the expiry step, and decisions about a payment.

import { unixSeconds } from '@/lib/platform/clock';
import type { Tx } from '@/lib/platform/database/db';
import type { Log } from '@/lib/platform/log';
import { postMoves, postTransfers } from '@/lib/ledger/post';
import { recordPaymentEvent } from '@/lib/webhooks/events/record';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { Verdict } from './judge';
import { recordOptionalEvents, type EventCause } from './optional-events';
import { sharesOf, type JudgedTransfer, type Shares } from './exceptions';
import { writeExceptions, type RecordedException } from './open-exceptions';
import { loadForSettling, type SettledSession } from './load';
import { verdictOf } from './verdict';
import { moveStatus, SESSION_MOVES, type SessionMove } from '@/lib/payments/sessions/states';
import { requestedToken } from '@/lib/payments/sessions/view';

/**
 * Recomputes these sessions. `holdSeconds`: how long after its expiry a session waits for a network that does not
 * respond; without it, the session waits without a limit. Returns how many sessions closed now.
 */
export async function settleSessions(
  tx: Tx,
  sessionIds: readonly string[],
  at: { now: Date; log: Log; holdSeconds?: number },
): Promise<number> {
  let closed = 0;
  for (const session of await loadForSettling(tx, sessionIds)) {
    const verdict = verdictOf(session, {
      now: unixSeconds(at.now),
      holdSeconds: session.isHeld ? Number.POSITIVE_INFINITY : (at.holdSeconds ?? Number.POSITIVE_INFINITY),
      seen: session.seen,
      scannedThrough: session.scannedThrough,
    });
    await storeResult(tx, session, verdict);
    const move = verdict.move && (await close(tx, session, verdict, verdict.move, at.now)) ? verdict.move : null;
    const status = move ? SESSION_MOVES[move].to : session.status;
    const shares = sharesOf(session, session.transfers, {
      status,
      isCompletedNow: move !== null && status === 'completed',
    });
    await post(tx, session, shares);
    const opened = await writeExceptions(tx, session, shares, at.now);
    await recordOptionalEvents(tx, eventCausesOf(session, status, opened), at);
    if (move) closed++;
  }
  return closed;
}

/** Payments that paid for a completed session go to its store. All others stay unresolved until a decision. */
async function post(tx: Tx, session: SettledSession, { toStore }: Shares): Promise<void> {
  const entry = ({ id: transferId, network, currency, amount }: JudgedTransfer) => ({
    transferId,
    storeId: session.storeId,
    environment: session.environment,
    sessionId: session.id,
    network,
    currency,
    amount,
  });
  const shareOf = ({ id }: JudgedTransfer): bigint => toStore.get(id) ?? 0n;
  const [posted, added] = [
    session.transfers.filter(({ unresolved }) => unresolved !== null),
    session.transfers.filter(({ unresolved }) => unresolved === null),
  ];
  await postTransfers(
    tx,
    added.map((one) => ({ ...entry(one), toStore: shareOf(one) })),
  );
  // Only unresolved amounts can be counted: former releases posted some parts to the store at once.
  const counted = posted.map((one) => ({ one, amount: least(shareOf(one), one.unresolved ?? 0n) }));
  await postMoves(
    tx,
    counted.filter(({ amount }) => amount > 0n).map(({ one, amount }) => ({ ...entry(one), amount, kind: 'counted' })),
  );
}

/** A payment that is new to the ledger causes `payment.partial` while its session still waits for the rest of the price. */
function eventCausesOf(
  session: SettledSession,
  status: SessionStatus,
  opened: readonly RecordedException[],
): EventCause[] {
  const sessionId = session.id;
  const added = status === 'pending' ? session.transfers.filter(({ unresolved }) => unresolved === null) : [];
  return [
    ...added.map((payment): EventCause => ({ type: 'payment.partial', sessionId, payment })),
    ...opened.map(({ transfer: payment, ...exception }): EventCause => ({
      type: 'payment.exception',
      sessionId,
      payment,
      exception,
    })),
  ];
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

async function storeResult(tx: Tx, session: SettledSession, { received, exception }: Verdict): Promise<void> {
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
    // Null, shown as "1", for USD, USDT and USDC, which count at par.
    exchangeRate: session.exchangeRate,
    amountReceived: verdict.received,
    now,
    currency: by?.currency ?? requestedToken(session, session.settlementCurrency),
    network: by?.network ?? null,
    transactionHash: by?.transactionHash ?? null,
  });
  return true;
}
