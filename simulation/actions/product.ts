// The product's own work: each of the worker's steps as an action, all of them in turn as the worker runs them, and the
// deliveries. A step that fails is the product's to handle: its next run goes on from what is stored.

import { armCrashPoint } from '@/lib/platform/crash-point';
import { openDispatcher } from '@/lib/webhooks/delivery/deliver';
import type { NamedStep } from '@/lib/worker/named-step';
import type { World } from '@/simulation/world';
import { noteScheduled } from '@/simulation/payouts/scheduled';
import { quarantineFaults, readFunds } from '@/simulation/stops/funds';
import { noteScreenings } from '@/simulation/stops/note';
import type { Action, Scene } from './action';

/** Runs of one step while it has more to do, as in a pass of the worker. */
const MAX_RUNS = 20;
/** Calls of one delivery step. They run one after the other, so that the order of requests is the same each time. */
const MAX_CALLS = 20;

/** The step by which a worker shows that it watches the sessions. */
const EXPIRY = /^expire /;

/** The steps after which the records of people are brought up to date, and what the step did is judged. */
const [SCREEN, QUARANTINE, SCHEDULES] = [/^screen /, /^quarantine frozen/, /^request scheduled/];

/** Resolves to false when the step failed. */
async function run(world: World, step: NamedStep): Promise<boolean> {
  const isDone = await runStep(world, step);
  if (SCREEN.test(step.name)) await noteScreenings(world);
  if (SCHEDULES.test(step.name)) await noteScheduled(world);
  const { stops } = world.records;
  if (isDone && stops.isScreening && QUARANTINE.test(step.name))
    stops.broken.push(...quarantineFaults(await readFunds(world)));
  return isDone;
}

async function runStep({ context, harness, records, clock }: World, step: NamedStep): Promise<boolean> {
  if (EXPIRY.test(step.name)) records.watches.push(clock.now().getTime());
  try {
    for (let runs = 0; runs < MAX_RUNS; runs++)
      if (!(await harness.pool.asProcess(() => step.run(context))).more) break;
    return true;
  } catch (error) {
    harness.log?.error({ err: error, step: step.name }, 'a step failed');
    return false;
  }
}

/** One delivery at a time. The product's dispatcher leases, signs, calls and stores the outcome. */
async function deliver({ context }: World): Promise<{ more: boolean }> {
  const dispatcher = openDispatcher(context, { mostInFlight: 1 });
  try {
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      if ((await dispatcher.pump()) === 0) break;
      await dispatcher.idle(Number.POSITIVE_INFINITY);
    }
  } finally {
    dispatcher.close();
  }
  return { more: false };
}

const delivery: NamedStep = {
  name: 'deliver webhooks',
  run: () => Promise.resolve({ more: false }),
  everyMilliseconds: 0,
};
const withDelivery = (world: World, steps: readonly NamedStep[]): readonly NamedStep[] => [
  ...steps,
  { ...delivery, run: () => deliver(world) },
];
const stepsOf = (world: World): readonly NamedStep[] => withDelivery(world, world.steps);

/** What crashed starts again. Returns whether anything had. */
export function recover(world: World): boolean {
  armCrashPoint(undefined);
  if (!world.harness.pool.revive()) return false;
  world.restartWorker();
  return true;
}

/** Steps on which no payment waits. They have an action of their own, and would be most of the work of every round. */
const STEPS_WITH_OWN_ACTION = /alarms|notices|paused|^fee of|^endpoints of|^clear |^reconcile /;

async function runThose(
  world: World,
  isWanted: (name: string) => boolean,
  steps = stepsOf(world),
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const step of steps.filter(({ name }) => isWanted(name))) if (!(await run(world, step))) failed.push(step.name);
  return failed;
}

/** Every step once that moves money or events, in the worker's order. Returns the names of those that failed. */
export const runAll = (world: World): Promise<readonly string[]> =>
  runThose(world, (name) => !STEPS_WITH_OWN_ACTION.test(name));

/** The steps of this name once. */
export const runSome = (world: World, wanted: RegExp): Promise<readonly string[]> =>
  runThose(world, (name) => wanted.test(name));

/** The same as `runAll` by a second worker, which remembers nothing of what the first one has read. */
export const runOther = (world: World): Promise<readonly string[]> =>
  runThose(world, (name) => !STEPS_WITH_OWN_ACTION.test(name), withDelivery(world, world.otherSteps()));

/** The same by the worker of another machine, with its own settings. */
export const runElsewhere = (
  world: World,
  steps: readonly NamedStep[],
  context: World['context'],
): Promise<readonly string[]> => runThose({ ...world, context }, (name) => !STEPS_WITH_OWN_ACTION.test(name), steps);

/** The other steps once. Returns the names of those that failed. */
export const runSeldom = (world: World): Promise<readonly string[]> =>
  runThose(world, (name) => STEPS_WITH_OWN_ACTION.test(name));

/** A round of all steps in words. */
export const allRan = (failed: readonly string[]): string =>
  `The worker runs all steps${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`;

async function runOne({ world, random }: Scene, wanted: RegExp): Promise<string | null> {
  const steps = stepsOf(world).filter(({ name }) => wanted.test(name));
  if (steps.length === 0) return null;
  const step = random.pick(steps);
  return `The worker runs "${step.name}"${(await run(world, step)) ? '' : ', which fails'}`;
}

const working = (name: string, weight: number, wanted: RegExp): Action => ({
  ...{ name, weight },
  act: (scene) => runOne(scene, wanted),
});

export const PRODUCT_ACTIONS: readonly Action[] = [
  {
    name: 'a round of all steps',
    weight: 34,
    act: async ({ world }) => {
      return allRan(await runAll(world));
    },
  },
  working('watch', 40, /^watch /),
  working('expire', 16, /^expire/),
  working('compare balances', 14, /^balances /),
  working('pay refunds', 30, /^refunds /),
  working('sweep', 14, /^sweep /),
  working('deliver', 20, /^deliver /),
  working('reconcile', 8, /^reconcile /),
  working('maintain the rest', 16, /quarantine|pool|^endpoints|^fee|alarms|notices|paused|^clear /),
];
