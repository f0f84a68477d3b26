// Whether an unsigned payment may be signed now. The worker checks this before the draft, in the transaction that requests the signature, and
// before it repeats a request without an answer, for single payments and for batches.

import type { Db } from '@/lib/platform/database/db';
import type { Destination } from '@/lib/refunds/rows';
import type { Hold } from '@/lib/refunds/sending/lease';
import { holdOf, type Work } from '@/lib/refunds/sending/sending-context';
import { pauseHold } from './pause';
import { screeningHold } from './screening';

/** Null when it may be. What operators have to decide comes before a pause, so that they can decide it meanwhile. */
export async function signingHold(db: Db, work: Work, destination: Destination): Promise<Hold | null> {
  const screening = await screeningHold(db, work, destination);
  if (screening?.code === 'screened') return screening;
  if (await work.rules.isMoneyFrozen(db, work)) return holdOf('screened');
  return (await pauseHold(db, work)) ?? screening;
}

/** The outcome of a dropped attempt, by the code of the hold. Other holds, such as an outdated screening answer, drop no attempt. */
const DROPPED = new Map<string, string>([
  ['screened', 'the screening found a hit before it was signed'],
  ['paused', 'an operator paused such payments before it was signed'],
]);

export type Stop = { readonly hold: Hold; readonly why: string };

/** Why a request without an answer is dropped and not repeated; null when it is repeated. */
export async function stopOfRepeated(db: Db, work: Work, destination: Destination): Promise<Stop | null> {
  const hold = await signingHold(db, work, destination);
  const why = DROPPED.get(hold?.code ?? '');
  return hold && why !== undefined ? { hold, why } : null;
}
