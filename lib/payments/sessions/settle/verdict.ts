// What settling a session stores and announces: the judgement of its payments, after its price took what it needs of them. Pure.

import { SESSION_MOVES } from '@/lib/payments/sessions/states';
import { sharesOf, type JudgedTransfer, type Shares } from './exceptions';
import { judge, objection, type Circumstances, type JudgedSession, type Verdict } from './judge';

/**
 * The verdict, with the amounts that the next settling will see. The price takes accepted payments only as far as it needs them: one
 * that it does not need is open again and counts no more. The session is overpaid while a surplus waits for a decision.
 */
export function verdictOf(
  session: JudgedSession & { readonly transfers: readonly JudgedTransfer[] },
  at: Circumstances,
): Verdict {
  const { transfers } = session;
  const verdict = judge(session, transfers, at);
  const status = verdict.move ? SESSION_MOVES[verdict.move].to : session.status;
  if (status !== 'completed') return verdict;
  const shares = sharesOf(session, transfers, { status, isCompletedNow: verdict.move !== null });
  const completed: JudgedSession = {
    ...session,
    status,
    acceptedFrom: verdict.move === 'accept' ? session.status : session.acceptedFrom,
  };
  const counted = transfers.map((one) => afterCounting(one, shares));
  const { received, exception } = judge(completed, counted, at);
  const isOver = exception === 'none' && counted.some((one) => hasOpenSurplus(completed, one, shares));
  return { ...verdict, received, exception: isOver ? 'over' : exception };
}

/** The transfer as it is once the price has taken its share. */
function afterCounting(transfer: JudgedTransfer, { countedExceptions }: Shares): JudgedTransfer {
  const counted = countedExceptions.find(({ id }) => id === transfer.exception?.id);
  if (!counted || !transfer.exception) return transfer;
  const exception = { ...transfer.exception, ...counted };
  return { ...transfer, exception, decision: counted.counted > 0n ? 'accepted' : counted.state };
}

/** Whether a part of a payment that counts waits for a decision. */
function hasOpenSurplus(session: JudgedSession, transfer: JudgedTransfer, { newExceptions }: Shares): boolean {
  if (objection(session, transfer) !== null) return false;
  const { exception } = transfer;
  if (!exception) return newExceptions.some(({ transfer: { id } }) => id === transfer.id);
  return (exception.state === 'open' || exception.state === 'left') && exception.counted < exception.amount;
}
