// One history: the world of a seed, its steps, the checks after each of them, and the end, where the faults stop. The
// same seed and the same steps give the same trace, byte for byte.

import { ACTIONS } from './actions/list';
import { recover } from './actions/product';
import type { Action, Scene } from './actions/action';
import type { Checked } from './checks/check';
import { ALWAYS, AT_THE_END } from './checks/list';
import { brokenInvariants } from './checks/invariants';
import { runUntilIdle } from './checks/progress';
import { addMoves, faultsNow, type Coverage } from './coverage';
import { endAllFaults, endSome } from './faults/table';
import type { Network } from './chain/open-chain';
import type { Harness } from './harness';
import { findNaiveDifferences } from './oracles/naive-check';
import { openRandom } from './random';
import { EMPTY, readSnapshot, type Snapshot } from './snapshot';
import { openStory } from './story';
import { drawSwarm } from './swarm';
import { openWorld } from './open-world';
import type { World } from './world';

export type Plan = {
  readonly seed: number;
  /** Those of the seed's swarm by default. */
  readonly networks?: readonly Network[];
  /**
   * The actions of the steps, by name, in place of those that the seed's swarm has: so a history stays what it was when actions are
   * added.
   */
  readonly script?: readonly string[];
  /** The numbers of the steps that run. A shrunk history has fewer than its original. */
  readonly steps: readonly number[];
  /** The invariants of the database are checked after every so many steps, and at the end. 1 by default. */
  readonly invariantsEvery?: number;
};

export type Outcome = {
  readonly seed: number;
  readonly trace: readonly string[];
  /** What must not be, in sentences; empty if all is well. */
  readonly violations: readonly string[];
  /** The step after which it failed; null if it did not. */
  readonly failedAt: number | null;
  /** How often each action was done. */
  readonly counts: ReadonlyMap<string, number>;
  readonly coverage: Coverage;
  /** The database at the end. */
  readonly snapshot: Snapshot;
};

export const allSteps = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** How often a step draws another action when there was nothing to do. */
const MAX_DRAWS = 6;
/**
 * After a recovery from the signer's journal all attempts of a refund are open again. That the first had expired before the second was
 * drafted does not show after the clock went back.
 */
const RECOVERING = 'INV-4b';
/** The number under which the end is traced: above every step's. */
const END = 1_000_000;

/** Throws an Error with the seed when the simulator itself fails. */
export async function runHistory(harness: Harness, plan: Plan): Promise<Outcome> {
  try {
    harness.randomness.reseed(plan.seed, 0);
    const { actions, networks } = drawSwarm(plan.seed);
    const world = await openWorld(harness, plan.seed, plan.networks ?? harness.networks ?? networks);
    return await new History(world, plan, actions).run();
  } catch (error) {
    throw new Error(`the simulator failed in seed ${plan.seed}`, { cause: error });
  }
}

/** What ended before an action, and the action. */
const prefixed = (ended: readonly string[], acted: Acted): Done | { readonly violation: string } => {
  if (acted !== null && 'violation' in acted) return acted;
  return { ...acted, says: [...ended, ...(acted ? [acted.says] : [])].join('; ') };
};

type Acted = Done | { readonly violation: string } | null;
type Done = { readonly says: string; readonly store?: string; readonly isRestored?: true };

class History {
  readonly #world: World;
  readonly #plan: Plan;
  /** From which steps draw. */
  readonly #actions: readonly Action[];
  readonly #story = openStory();
  readonly #counts = new Map<string, number>();
  readonly #coverage: Coverage = new Map();
  /** The faults that lasted at any time of the present step. */
  #faults: readonly string[] = [];
  #snapshot: Snapshot = EMPTY;
  /** Statements that the product had run when the snapshot was taken. */
  #statements = -1;

  constructor(world: World, plan: Plan, actions: readonly Action[]) {
    this.#world = world;
    this.#plan = plan;
    this.#actions = actions;
  }

  async run(): Promise<Outcome> {
    const { seed, steps, invariantsEvery = 1 } = this.#plan;
    const { randomness } = this.#world.harness;
    for (const step of steps) {
      randomness.reseed(seed, step);
      const scene = { world: this.#world, random: openRandom(seed, step), story: this.#story, now: this.#snapshot };
      const ended = endSome(this.#world, scene.random);
      const acted = await this.#act(scene, this.#actionOf(step));
      if (acted === null && ended.length === 0) continue;
      const done = prefixed(ended, acted);
      const violations = 'violation' in done ? [done.violation] : await this.#judge(step, done, step % invariantsEvery);
      if (violations.length > 0) return this.#end(violations, step);
    }
    randomness.reseed(seed, END);
    return this.#finish();
  }

  /** The action that the script names for a step. Throws an Error for a name that no action has. */
  #actionOf(step: number): Action | null {
    const name = this.#plan.script?.[step - 1];
    if (name === undefined) return null;
    const found = ACTIONS.find((one) => one.name === name);
    if (!found) throw new Error(`no action is called "${name}"`);
    return found;
  }

  /** One action. An action that throws has found a fault of the product or of the simulator. */
  async #act(scene: Scene, wanted: Action | null): Promise<Acted> {
    for (let draws = 0; draws < MAX_DRAWS; draws++) {
      const action = wanted ?? scene.random.weighted(this.#actions);
      this.#faults = faultsNow(scene.world, action.name);
      try {
        const done = await action.act(scene);
        this.#faults = [...this.#faults, ...faultsNow(scene.world, action.name)];
        const hasCrashed = recover(scene.world);
        if (done === null && !hasCrashed) continue;
        this.#counts.set(action.name, (this.#counts.get(action.name) ?? 0) + 1);
        const { says, ...rest }: Done = typeof done === 'string' ? { says: done } : (done ?? { says: action.name });
        return { says: `${says}${hasCrashed ? '; it starts again' : ''}`, ...rest };
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        return { violation: `"${action.name}" threw: ${text}` };
      }
    }
    return null;
  }

  /** Traces a step and returns what is wrong after it. `turn` 0: the product's own invariants are checked, too. */
  async #judge(step: number, { says, store, isRestored }: Done, turn: number): Promise<string[]> {
    const seconds = this.#world.elapsed() / 1000;
    const { pool, database } = this.#world.harness;
    // Nothing can have changed in the database while the product ran no statement.
    if (pool.statements() === this.#statements) {
      this.#story.addStep({ step, seconds, says, changes: [] });
      return [];
    }
    this.#statements = pool.statements();
    const before = this.#snapshot;
    this.#snapshot = await readSnapshot(database.pool);
    this.#story.addStep({ step, seconds, says, changes: this.#story.changes(before, this.#snapshot) });
    if (!isRestored) addMoves(this.#coverage, this.#faults, before, this.#snapshot);
    const checked = this.#checked(isRestored ? this.#snapshot : before, store);
    const violations = ALWAYS.flatMap((check) => check(checked));
    if (turn !== 0) return violations;
    const differences = await findNaiveDifferences(database.pool, this.#world, this.#story);
    const { lost, records } = this.#world;
    const isRecovering = lost.sentRefunds.size > 0 && records.hasClockGoneBack && step !== END;
    const broken = (await brokenInvariants(database.pool)).filter(
      (one) => !isRecovering || !one.startsWith(RECOVERING),
    );
    return [...violations, ...broken, ...differences];
  }

  #checked(before: Snapshot, store?: string): Checked {
    const all = { world: this.#world, before, after: this.#snapshot, story: this.#story };
    return store === undefined ? all : { ...all, store };
  }

  /** The faults stop. Everything must come to its end. */
  async #finish(): Promise<Outcome> {
    endAllFaults(this.#world);
    this.#faults = [];
    const failures = await runUntilIdle(this.#world, this.#story);
    this.#statements = -1;
    const violations = await this.#judge(END, { says: 'The faults stop, and everything comes to its end' }, 0);
    const checked = this.#checked(this.#snapshot);
    const all = [...violations, ...failures, ...AT_THE_END.flatMap((check) => check(checked))];
    return this.#end(all, all.length > 0 ? END : null);
  }

  #end(violations: readonly string[], failedAt: number | null): Outcome {
    const { lines } = this.#story;
    return {
      ...{ seed: this.#plan.seed, trace: lines, violations, failedAt, counts: this.#counts, coverage: this.#coverage },
      snapshot: this.#snapshot,
    };
  }
}
