// One history: the world of a seed, its steps, the checks after each of them, and the end, where the faults stop. The
// same seed and the same steps give the same trace, byte for byte.

import { CUSTOMER_ACTIONS } from './actions/customers';
import { MERCHANT_ACTIONS } from './actions/merchants';
import { PRODUCT_ACTIONS, recover } from './actions/product';
import { TIME_ACTIONS } from './actions/time';
import type { Action, Scene } from './actions/action';
import { ALWAYS, AT_THE_END } from './checks/list';
import { brokenInvariants } from './checks/invariants';
import { settleDown } from './checks/progress';
import { calm, FAULTS } from './faults/table';
import type { Laboratory } from './laboratory';
import { openRandom } from './random';
import { EMPTY, readSnapshot, type Snapshot } from './snapshot';
import { openStory, type Story } from './story';
import { openWorld, type World } from './world';

export type Plan = {
  readonly seed: number;
  /** The numbers of the steps that run. A shrunk history has fewer than its original. */
  readonly steps: readonly number[];
  /** The invariants of the database are checked after every so many steps, and at the end. 1 by default. */
  readonly invariantsEvery?: number;
};

export type Outcome = {
  readonly seed: number;
  readonly trace: readonly string[];
  /** What must not be, in sentences; empty if all is well. */
  readonly faults: readonly string[];
  /** The step after which it failed; null if it did not. */
  readonly failedAt: number | null;
  /** How often each action was done. */
  readonly counts: ReadonlyMap<string, number>;
  readonly simulatedSeconds: number;
};

export const USUAL_STEPS = 120;
export const allSteps = (count = USUAL_STEPS): number[] => Array.from({ length: count }, (_, index) => index + 1);

const ACTIONS: readonly Action[] = [
  ...CUSTOMER_ACTIONS,
  ...MERCHANT_ACTIONS,
  ...PRODUCT_ACTIONS,
  ...TIME_ACTIONS,
  ...FAULTS,
];
/** How often a step draws another action when there was nothing to do. */
const MAX_DRAWS = 6;

export async function runHistory(laboratory: Laboratory, { seed, steps, invariantsEvery = 1 }: Plan): Promise<Outcome> {
  laboratory.randomness.reseed(seed, 0);
  const world = await openWorld(laboratory, seed);
  const { database } = laboratory;
  const story = openStory();
  const counts = new Map<string, number>();
  let snapshot: Snapshot = EMPTY;

  /** Tells a step and returns what is wrong after it. */
  const judge = async (step: number, says: string, hasInvariants: boolean): Promise<string[]> => {
    const before = snapshot;
    snapshot = await readSnapshot(database.pool);
    story.tell({ step, seconds: world.elapsed() / 1000, says, changes: story.changes(before, snapshot) });
    const checked = { world, before, after: snapshot, story };
    const faults = ALWAYS.flatMap((check) => check(checked));
    return hasInvariants ? [...faults, ...(await brokenInvariants(database.pool))] : faults;
  };
  const end = (faults: readonly string[], failedAt: number | null): Outcome => ({
    ...{ seed, trace: story.lines, faults, failedAt, counts },
    simulatedSeconds: world.elapsed() / 1000,
  });

  for (const step of steps) {
    laboratory.randomness.reseed(seed, step);
    const scene = { world, random: openRandom(seed, step), story, now: snapshot };
    const done = await act(scene, counts);
    if (done === null) continue;
    const faults = 'fault' in done ? [done.fault] : await judge(step, done.says, step % invariantsEvery === 0);
    if (faults.length > 0) return end(faults, step);
  }
  return finish(world, { story, judge, end, reseed: () => laboratory.randomness.reseed(seed, 1_000_000) });
}

/** One action. A check within an action throws, which is a fault of the product or of the simulator. */
async function act(scene: Scene, counts: Map<string, number>): Promise<{ says: string } | { fault: string } | null> {
  for (let draws = 0; draws < MAX_DRAWS; draws++) {
    const action = scene.random.weighted(ACTIONS);
    try {
      const says = await action.act(scene);
      const hasCrashed = recover(scene.world);
      if (says === null && !hasCrashed) continue;
      counts.set(action.name, (counts.get(action.name) ?? 0) + 1);
      return { says: `${says ?? action.name}${hasCrashed ? '; it starts again' : ''}` };
    } catch (error) {
      return {
        fault: `"${action.name}" threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      };
    }
  }
  return null;
}

type Finish = {
  readonly story: Story;
  readonly judge: (step: number, says: string, hasInvariants: boolean) => Promise<string[]>;
  readonly end: (faults: readonly string[], failedAt: number | null) => Outcome;
  readonly reseed: () => void;
};

/** The faults stop. Everything must come to its end. */
async function finish(world: World, { story, judge, end, reseed }: Finish): Promise<Outcome> {
  reseed();
  calm(world);
  const last = await settleDown(world, story);
  const faults = await judge(END, 'The faults stop, and everything settles', true);
  const checked = { world, before: last, after: last, story };
  const all = [...faults, ...AT_THE_END.flatMap((check) => check(checked))];
  return end(all, all.length > 0 ? END : null);
}

/** The number under which the end is told. */
const END = 999;
