// Drives one refund as far as it goes now: decides by its row and its attempts what is next, does that, and looks again. Each
// turn makes one durable fact, so that whoever takes the refund up after a crash finds where it is.

import { NETWORKS } from '@/lib/networks/networks';
import { broadcastAttempt } from './broadcast';
import { keepRefund, restUntil } from './lease';
import { draftRefund } from './draft/draft';
import type { Asked } from './draft/draft-ask';
import { failRefund } from './finish';
import { followAttempts } from './follow/follow';
import { nextAction, type Action } from './plan';
import { readAttempts, rereadRefund, type Attempt } from '@/lib/refunds/rows';
import { holdBack, holdOf, restFor, type Work } from './payout-context';
import { signAttempt } from './sign/sign';

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
      if (await isStopped(work)) return live.length > 0 ? told(await followAttempts(work, live)) : 'rests';
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
      if (await isStopped(work)) return 'rests';
      return (await draftRefund(work, action)) ?? 'rests';
    default:
      return action satisfies never;
  }
}

/** Whether nothing may be signed now; the refund is held back then. */
async function isStopped(work: Work): Promise<boolean> {
  const verdict = (await work.line.check?.(work.context)) ?? 'ok';
  if (verdict === 'ok') return false;
  await holdBack(work, holdOf(verdict === 'frozen' ? 'frozen' : 'signer_unavailable'));
  return true;
}

const told = (goesOn: boolean): 'rests' | 'goes on' => (goesOn ? 'goes on' : 'rests');

/**
 * A chain that is followed no more. A local one was started afresh and nothing of it exists any longer, so neither does the
 * payment; it fails, and is never made again on the new one. Any other chain is still there, and only a person may judge.
 */
async function strand(work: Work, attempts: readonly Attempt[]): Promise<'rests'> {
  const { context } = work;
  const ids = attempts.map(({ id }) => id);
  const { rows } = await context.pool.query<{ genesis: string; retired_at: Date | null }>({
    name: 'refund-stranded',
    text: `SELECT DISTINCT c.genesis, c.retired_at FROM refund_attempts a JOIN chains c ON c.id = a.chain_id
           WHERE a.id = ANY($1)`,
    values: [ids],
  });
  const isGone = rows.every(
    (one) => one.retired_at !== null && !NETWORKS.some(({ genesis }) => genesis === one.genesis),
  );
  if (work.line.spec.chain === 'local' && isGone) {
    const reason = 'The local test chain was started afresh, and the payment is gone with the former one.';
    await failRefund(work, { reason, gone: ids });
  } else await holdBack(work, holdOf('unclear'));
  return 'rests';
}
