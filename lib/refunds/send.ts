// Drives one refund as far as it goes now: decides by its row and its attempts what is next, does that, and looks again. Each
// turn makes one durable fact, so that whoever takes the refund up after a crash finds where it is.

import { NETWORKS } from '@/lib/chains/networks';
import { broadcastAttempt } from './broadcast';
import { keepRefund, restUntil, whileMine } from './claim';
import { draftRefund } from './draft';
import type { Asked } from './draft-ask';
import { followAttempts } from './follow';
import { nextAction, type Action } from './plan';
import { readAttempts, rereadRefund, type Attempt } from './rows';
import { holdBack, holdOf, restFor, type Work } from './send-line';
import { signAttempt } from './sign';

/** Drafting, signing, sending and a replacement are four; a refund that takes more turns than this waits for the next pass. */
const MOST_TURNS = 8;

/** Returns when the refund rests, has ended, or is no longer this worker's. */
export async function sendRefund(taken: Work): Promise<void> {
  const { context, line } = taken;
  let asked: Asked | null = null;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    if (!(await keepRefund(context, taken.refund, line.pace.lease))) return;
    const refund = await rereadRefund(context.pool, taken.refund);
    if (!refund) return;
    const work = { ...taken, refund };
    const action = nextAction(refund, await readAttempts(context.pool, refund.id), {
      now: context.clock.now(),
      chainId: taken.chainId,
    });
    const done = await carryOut(work, action, asked);
    if (done === 'rests') return;
    asked = done === 'goes on' ? null : done;
  }
  await restFor(taken, 0);
}

async function carryOut(work: Work, action: Action, asked: Asked | null): Promise<'rests' | 'goes on' | Asked> {
  const { line } = work;
  switch (action.kind) {
    case 'none':
      return 'rests';
    case 'wait':
      await restUntil(work.context, work.refund, action.until, null);
      return 'rests';
    case 'strand':
      return strand(work, action.attempts);
    case 'settle': {
      const { attempt, live } = action;
      const isFirst = asked?.first === true && asked.number === attempt.number;
      if (await signAttempt(work, attempt, isFirst)) return 'goes on';
      // Nobody knows yet about the replacement; what it replaces may land meanwhile.
      return live.length > 0 ? told(await followAttempts(work, live)) : 'rests';
    }
    case 'broadcast': {
      if ((await broadcastAttempt(work, action.attempt)) !== null) return told(await followAttempts(work, action.live));
      await restFor(work, line.pace.young);
      return 'rests';
    }
    case 'follow':
      return told(await followAttempts(work, action.live));
    case 'draft':
      return (await draftRefund(work, action.lapsed)) ?? 'rests';
    default:
      return action satisfies never;
  }
}

const told = (goesOn: boolean): 'rests' | 'goes on' => (goesOn ? 'goes on' : 'rests');

/**
 * A chain that is followed no more. A local one was started afresh: nothing of it exists any longer, and neither does its
 * signer's journal, which refuses otherwise. Any other chain is still there, and only a person may judge.
 */
async function strand(work: Work, attempts: readonly Attempt[]): Promise<'rests' | 'goes on'> {
  const { context, refund } = work;
  const ids = attempts.map(({ id }) => id);
  const { rows } = await context.pool.query<{ genesis: string }>({
    name: 'refund-stranded',
    text: `SELECT DISTINCT c.genesis FROM refund_attempts a JOIN chains c ON c.id = a.chain_id
           WHERE a.id = ANY($1) AND c.retired_at IS NOT NULL`,
    values: [ids],
  });
  const isKnown = rows.some(({ genesis }) => NETWORKS.some((one) => one.genesis === genesis));
  if (work.line.spec.chain !== 'local' || rows.length === 0 || isKnown) {
    await holdBack(work, holdOf('unclear'));
    return 'rests';
  }
  await whileMine(context.pool, refund, (tx) =>
    tx.query({
      name: 'refund-strand',
      text: `UPDATE refund_attempts SET status = CASE WHEN hash IS NULL THEN 'refused' ELSE 'lapsed' END::"AttemptStatus",
               outcome = 'its local chain was started afresh', ended_at = $2 WHERE id = ANY($1) AND ended_at IS NULL`,
      values: [ids, context.clock.now()],
    }),
  );
  return 'goes on';
}
