// Statuses change only by the product's tables of moves, seen from outside: from one snapshot to the next, a status is
// where a chain of moves leads. Facts never vanish.

import { EXCEPTION_MOVES } from '@/lib/payments/exceptions/states';
import { SESSION_MOVES } from '@/lib/payments/sessions/states';
import { REFUND_MOVES } from '@/lib/refunds/states';
import type { Check } from './check';

type Moves = Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>;

/** Whether some moves, one after the other, lead from one status to another. */
function leads(moves: Moves, from: string, to: string): boolean {
  const reached = new Set([from]);
  for (let size = 0; size !== reached.size;) {
    size = reached.size;
    for (const move of Object.values(moves)) if (move.from.some((one) => reached.has(one))) reached.add(move.to);
  }
  return reached.has(to);
}

type Row = { readonly id: string };

function changed<One extends Row>(
  what: string,
  { before, after }: { readonly before: readonly One[]; readonly after: readonly One[] },
  judge: (was: One, is: One) => string | null,
): string[] {
  const now = new Map(after.map((row) => [row.id, row]));
  return before.flatMap((was) => {
    const is = now.get(was.id);
    if (!is) return [`a ${what} has vanished`];
    const fault = judge(was, is);
    return fault === null ? [] : [fault];
  });
}

export const statusesFollowTheirMoves: Check = ({ before, after, story }) => [
  ...changed('session', { before: before.sessions, after: after.sessions }, (was, is) =>
    leads(SESSION_MOVES, was.status, is.status)
      ? null
      : `${story.name('session', is.id)} went from ${was.status} to ${is.status}`,
  ),
  ...changed('refund', { before: before.refunds, after: after.refunds }, (was, is) =>
    leads(REFUND_MOVES, was.status, is.status)
      ? null
      : `${story.name('refund', is.id)} went from ${was.status} to ${is.status}`,
  ),
  ...changed('payout', { before: before.payouts, after: after.payouts }, (was, is) =>
    leads(REFUND_MOVES, was.status, is.status)
      ? null
      : `${story.name('payout', is.id)} went from ${was.status} to ${is.status}`,
  ),
  ...changed('cold transfer', { before: before.cold_transfers, after: after.cold_transfers }, (was, is) =>
    leads(REFUND_MOVES, was.status, is.status)
      ? null
      : `${story.name('cold transfer', is.id)} went from ${was.status} to ${is.status}`,
  ),
  ...changed('payment exception', { before: before.exceptions, after: after.exceptions }, (was, is) =>
    leads(EXCEPTION_MOVES, was.state, is.state)
      ? null
      : `${story.name('exception', is.id)} went from ${was.state} to ${is.state}`,
  ),
  ...changed('payment', { before: before.transfers, after: after.transfers }, (was, is) =>
    JSON.stringify(was) === JSON.stringify(is) ? null : `${story.name('payment', is.hash)} has changed`,
  ),
  ...changed('event', { before: before.events, after: after.events }, (was, is) =>
    JSON.stringify(was) === JSON.stringify(is) ? null : `${story.name('event', is.id)} has changed`,
  ),
];
