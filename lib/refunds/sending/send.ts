// Drives one payment as far as possible now: reads its row and its attempts, decides the next action, carries it out, and repeats. Each
// iteration makes one durable change, so that any worker can continue the payment after a crash.

import { NETWORKS } from '@/lib/networks/networks';
import { batchPlaceOf } from '@/lib/networks/sending/draft';
import { settleItem } from './batch/sign-batch';
import { broadcastAttempt } from './broadcast';
import { extendLease, idleUntil } from './lease';
import { draftPayment } from './draft/draft';
import type { Requested } from './draft/signature-request';
import { failPayment } from './finish';
import { followAttempts } from './follow/follow';
import { nextAction, type Action } from './plan';
import { readAttempts, type Attempt } from '@/lib/refunds/attempts';
import { rereadPayment } from '@/lib/refunds/rows';
import { putOnHold, holdOf, idleFor, type Work } from './sending-context';
import { signAttempt } from './sign/sign';
import { stopUnsigned } from './sign/stop-unsigned';
import { withdrawRequest } from './sign/withdraw';

/** Drafting, signing, sending and a replacement take four iterations. A payment that needs more continues in the next run. */
const MAX_TURNS = 8;

/** Returns when the payment is idle, has ended, or another worker has it. */
export async function sendPayment(taken: Work): Promise<void> {
  const { context, sending } = taken;
  let requested: Requested | null = null;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    if (!(await extendLease(context, taken.payment, sending.intervals.lease))) return;
    const payment = await rereadPayment(context.pool, taken.payment);
    if (!payment) return;
    const work = { ...taken, payment };
    const action = nextAction(payment, await readAttempts(context.pool, payment.id), {
      now: context.clock.now(),
      chainId: taken.chainId,
    });
    const done = await carryOut(work, action, requested);
    if (done === 'idle') return;
    requested = done === 'continues' ? null : done;
  }
  await idleFor(taken, 0);
}

async function carryOut(
  work: Work,
  action: Action,
  requested: Requested | null,
): Promise<'idle' | 'continues' | Requested> {
  const { sending } = work;
  switch (action.kind) {
    case 'none':
      return 'idle';
    case 'wait':
      await idleUntil(work.context, work.payment, action.until, null);
      return 'idle';
    case 'abandon':
      return abandonChain(work, action.attempts);
    case 'settle': {
      const { attempt, live } = action;
      if (await isStopped(work)) return live.length > 0 ? progress(await followAttempts(work, live)) : 'idle';
      if (batchPlaceOf(attempt.draft)) {
        if (await settleItem(work, attempt, { live })) return 'continues';
        return live.length > 0 ? progress(await followAttempts(work, live)) : 'idle';
      }
      const isFirst = requested?.first === true && requested.number === attempt.number;
      // A replacement belongs to a payment that may land anyway, and its nonce must not stay open.
      const stopped = isFirst || live.length > 0 ? null : await stopUnsigned(work, attempt);
      if (stopped) return stopped;
      if (await signAttempt(work, attempt, isFirst)) return 'continues';
      // The outcome of the replacement is unknown; the attempt that it replaces may land meanwhile.
      return live.length > 0 ? progress(await followAttempts(work, live)) : 'idle';
    }
    case 'broadcast': {
      if ((await broadcastAttempt(work, action.attempt)) !== null)
        return progress(await followAttempts(work, action.live));
      await idleFor(work, sending.intervals.recent);
      return 'idle';
    }
    case 'follow':
      return progress(await followAttempts(work, action.live));
    case 'draft':
      if (await isStopped(work)) return 'idle';
      return (
        (action.lapsed === null ? await withdrawRequest(work) : null) ?? (await draftPayment(work, action)) ?? 'idle'
      );
    default:
      return action satisfies never;
  }
}

/** Whether nothing may be signed now; then the payment is put on hold. */
async function isStopped(work: Work): Promise<boolean> {
  const verdict = (await work.sending.check?.(work.context, { isSigning: true })) ?? 'ok';
  if (verdict === 'ok') return false;
  await putOnHold(work, holdOf(verdict === 'frozen' ? 'frozen' : 'signer_unavailable'));
  return true;
}

const progress = (continues: boolean): 'idle' | 'continues' => (continues ? 'continues' : 'idle');

/**
 * Handles attempts on a chain that is no longer followed. A local chain was restarted and its payments no longer exist, so the payment
 * fails. Any other chain still exists, and only an operator may decide.
 */
async function abandonChain(work: Work, attempts: readonly Attempt[]): Promise<'idle'> {
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
  if (work.sending.spec.chain === 'local' && isGone) {
    const reason = 'The local test chain was started afresh, and the payment is gone with the former one.';
    await failPayment(work, { reason, abandoned: ids });
  } else await putOnHold(work, holdOf('unclear'));
  return 'idle';
}
