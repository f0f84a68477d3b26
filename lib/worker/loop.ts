// Runs one step for as long as the process lives: again at once while it has more to do, after its pause when it has
// not, and after a growing pause when it failed. This is the worker's only catch.

import type { Context } from '@/lib/platform/context';
import { isDatabaseAway } from '@/lib/platform/database/away';
import { sqlState } from '@/lib/platform/database/db';
import { instruments } from '@/lib/platform/metrics/instruments';
import { recordFailure, recordSuccess } from './failures';
import type { NamedStep } from './named-step';
import type { Quiet } from './quiet';

const LONGEST_PAUSE_MILLISECONDS = 10_000;
/** After a failover of the database every step is back at once: without addresses in the pool no session is created. */
const LONGEST_PAUSE_WITHOUT_DATABASE_MILLISECONDS = 1000;
/** The first pause after a failure. Each further failure doubles it. */
const FIRST_PAUSE_MILLISECONDS = 200;

type Pacing = Pick<Quiet, 'pauseOf' | 'onWork'>;
const ALWAYS_BUSY: Pacing = { pauseOf: ({ everyMilliseconds }) => everyMilliseconds, onWork: () => () => {} };

/** Resolves when `stop` is aborted and the run in progress has ended. */
export async function runLoop(
  context: Context,
  step: NamedStep,
  stop: AbortSignal,
  quiet: Pacing = ALWAYS_BUSY,
): Promise<void> {
  let failures = 0;
  // A failure recorded by an earlier process is closed by the first success.
  let isSuccessNoted = false;
  const { steps, stepSeconds, stepSucceededAt } = instruments();
  const labels = { step: step.name };
  while (!stop.aborted) {
    let pause: number | null = null;
    const ended = stepSeconds.startTimer(labels);
    try {
      const { more, skipped, soon } = await step.run(context).finally(ended);
      // Another process's turn says nothing about this step: neither that it works nor that a failure has ended.
      if (skipped) {
        // That process may record a failure, which this one closes once it is its turn and the step works.
        isSuccessNoted = false;
        await waitFor(quiet.pauseOf(step), stop, quiet);
        continue;
      }
      steps.inc({ ...labels, outcome: 'ok' });
      stepSucceededAt.set(labels, context.clock.now().getTime() / 1000);
      failures = 0;
      if (more) pause = 0;
      else if (soon) pause = step.everyMilliseconds;
      if (!isSuccessNoted) await recordSuccess(context, step.name);
      isSuccessNoted = true;
    } catch (error) {
      pause = pauseAfter(error, failures++);
      steps.inc({ ...labels, outcome: 'failed' });
      context.log.error({ err: error, step: step.name, failures, pause }, 'a step failed and will be tried again');
      await recordFailure(context, step.name, error);
      isSuccessNoted = false;
    }
    await (pause === null ? waitFor(quiet.pauseOf(step), stop, quiet) : waitFor(pause, stop));
  }
}

/** Milliseconds. @param failures of the step before this one, in a row */
export function pauseAfter(error: unknown, failures: number): number {
  const isAway = isDatabaseAway(error, sqlState(error));
  const longest = isAway ? LONGEST_PAUSE_WITHOUT_DATABASE_MILLISECONDS : LONGEST_PAUSE_MILLISECONDS;
  return Math.min(longest, FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(failures, 10));
}

/**
 * Waits, and at most until the process is stopping or, if `quiet` is given, until there is work again. Zero lets other work of the process
 * run first.
 */
function waitFor(milliseconds: number, stop: AbortSignal, quiet: Pacing = ALWAYS_BUSY): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    const forget = quiet.onWork(done);
    stop.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      forget();
      stop.removeEventListener('abort', done);
      resolve();
    }
  });
}
