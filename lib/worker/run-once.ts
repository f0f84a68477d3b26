// One pass over all steps for the cron route. Each step runs until it has no more to do or the pass's time is over.

import type { Context } from '@/lib/platform/context';
import type { NamedStep } from './named-step';
import { openSteps } from './steps';

/** Hosting providers end a request after 30 to 60 s, and hanging deliveries may take up to 30 s of the last step. */
const PASS_MILLISECONDS = 20_000;

export type StepOutcome = {
  readonly name: string;
  readonly runs: number;
  readonly more: boolean;
  readonly failed: boolean;
};

const opened = new WeakMap<object, NamedStep[]>();

/** Runs every step once or, while it has more to do, again. A failing step is logged and does not block the others. */
export async function runOnce(context: Context): Promise<StepOutcome[]> {
  const steps = opened.get(context.config) ?? openSteps(context);
  opened.set(context.config, steps);
  return runSteps(context, steps);
}

/**
 * Runs a payment's steps in order, so that a credited payment is settled, expired and delivered in the same pass. Slow
 * steps on which no payment waits run in parallel, in their own order. So two steps run at a time.
 */
export async function runSteps(context: Context, steps: readonly NamedStep[]): Promise<StepOutcome[]> {
  const until = context.clock.now().getTime() + PASS_MILLISECONDS;
  const inOrder = async (some: readonly NamedStep[]): Promise<StepOutcome[]> => {
    const outcomes: StepOutcome[] = [];
    for (const step of some) outcomes.push(await runStep(context, step, until));
    return outcomes;
  };
  const beside = steps.filter(({ isBeside }) => isBeside);
  const others = steps.filter(({ isBeside }) => !isBeside);
  return (await Promise.all([inOrder(others), inOrder(beside)])).flat();
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
