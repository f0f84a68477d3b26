// One pass over all steps, each until it has no more to do or the pass's time is over. What the cron route calls. Some steps run at
// once, as all of them do in the worker, so that a slow one does not delay the others.

import type { Context } from '@/lib/context';
import { openSteps, type NamedStep } from './steps';

/** Hosts end a request after 30 to 60 s; deliveries that hang may take up to 30 s of the last step themselves. */
const PASS_MILLISECONDS = 20_000;

/** A step needs a connection of the database or two, and some steps of refunds need more (api/cron, CONNECTIONS). */
export const STEPS_AT_ONCE = 4;

export type StepOutcome = {
  readonly name: string;
  readonly runs: number;
  readonly more: boolean;
  readonly failed: boolean;
};

const opened = new WeakMap<object, NamedStep[]>();

/** Runs every step once or, while it has more to do, again; one step's fault is logged and does not keep the others. */
export async function runOnce(context: Context): Promise<StepOutcome[]> {
  const steps = opened.get(context.config) ?? openSteps(context);
  opened.set(context.config, steps);
  return runSteps(context, steps);
}

/** Begins the steps in their order, at most STEPS_AT_ONCE at a time. Answers in the same order. */
export async function runSteps(context: Context, steps: readonly NamedStep[]): Promise<StepOutcome[]> {
  const until = context.clock.now().getTime() + PASS_MILLISECONDS;
  const outcomes: StepOutcome[] = [];
  const waiting = steps.entries();
  const lane = async (): Promise<void> => {
    for (const [place, step] of waiting) outcomes[place] = await runStep(context, step, until);
  };
  await Promise.all(Array.from({ length: STEPS_AT_ONCE }, lane));
  return outcomes;
}

async function runStep(context: Context, { name, run }: NamedStep, until: number): Promise<StepOutcome> {
  let runs = 0;
  try {
    let more = true;
    while (more && (runs === 0 || context.clock.now().getTime() < until)) {
      ({ more } = await run(context));
      runs++;
    }
    return { name, runs, more, failed: false };
  } catch (error) {
    context.log.error({ err: error, step: name }, 'a step failed');
    return { name, runs, more: true, failed: true };
  }
}
