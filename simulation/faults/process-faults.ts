// What happens to the product's processes: they end between any two effects, stand still while another worker goes on, and
// their clock jumps.

import {
  armCrashPoint,
  CRASH_POINTS,
  RETURN_CRASH_POINTS,
  SWEEP_CRASH_POINTS,
  type CrashPoint,
} from '@/lib/platform/crash-point';
import type { Action, Scene } from '@/simulation/actions/action';
import { CUSTOMER_ACTIONS } from '@/simulation/actions/customers';
import { MERCHANT_ACTIONS } from '@/simulation/actions/merchants';
import { SETTINGS_ACTIONS } from '@/simulation/actions/merchant-settings';
import { CLAIM_ACTIONS } from '@/simulation/actions/claims';
import { PAYOUT_ACTIONS } from '@/simulation/actions/payouts';
import { RETURN_ACTIONS } from '@/simulation/actions/returns';
import { BLOCKS, mineAll } from '@/simulation/actions/time';
import { allRan, runAll, runOther } from '@/simulation/actions/product';
import { noteScreenings } from '@/simulation/stops/note';
import type { World } from '@/simulation/world';
import { CHAIN_FAULTS } from './chain-faults';

const MERCHANTS = [...MERCHANT_ACTIONS, ...SETTINGS_ACTIONS, ...CLAIM_ACTIONS];
/** An address that is stopped while the signer is being asked may still be paid. */
const OWNERS = PAYOUT_ACTIONS.filter(({ name }) => name !== 'stop a payout address');

class ProcessEnded extends Error {}
const OF_SIGNER: readonly CrashPoint[] = ['before-journal', 'after-journal', 'before-answer'];

const OF_SWEEP: readonly CrashPoint[] = SWEEP_CRASH_POINTS;
const OF_RETURN: readonly CrashPoint[] = RETURN_CRASH_POINTS;

const isOfSigner = (point: CrashPoint): boolean => OF_SIGNER.includes(point);

/** Kills the worker, or the signer at its own points, when a refund, a sweep or a return passes the point during `work`. Returns whether one did. */
export async function crashDuring(
  { harness }: World,
  point: CrashPoint,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const { signer, pool } = harness;
  const isSigner = isOfSigner(point);
  let isStruck = false;
  armCrashPoint(point, () => {
    isStruck = true;
    if (isSigner) signer.isDown = true;
    else pool.die();
    throw new ProcessEnded('the process ended here');
  });
  await work();
  armCrashPoint(undefined);
  if (isStruck && isSigner) {
    signer.restart();
    signer.isDown = false;
  }
  return isStruck;
}

const ofWhat = (point: CrashPoint): string =>
  OF_SWEEP.includes(point) ? 'sweep' : OF_RETURN.includes(point) ? 'return' : 'refund';

export const killed = (point: CrashPoint): string =>
  `${isOfSigner(point) ? 'The signer' : 'The worker'} is killed at the point "${point}" of a ${ofWhat(point)}`;

async function crashAt({ world }: Scene, point: CrashPoint): Promise<string> {
  let failed: readonly string[] = [];
  const isStruck = await crashDuring(world, point, async () => (failed = await runAll(world)));
  return isStruck ? killed(point) : allRan(failed);
}

/** The worker stands still between two statements while another one runs all its steps. */
async function stall({ world, random }: Scene, minutes: number): Promise<string> {
  const { pool } = world.harness;
  const { stops } = world.records;
  const at = random.int(1, 60);
  pool.pauseAt(at, async () => {
    stops.isStanding = true;
    world.advance(minutes * 60);
    if (minutes > 0) mineAll(world, () => random.int(0, 3));
    await runOther(world);
  });
  const failed = await runAll(world);
  stops.isStanding = false;
  await noteScreenings(world);
  if (!pool.hasStruck()) return allRan(failed);
  const pause = minutes > 0 ? `stands still for ${minutes} minutes` : 'pauses';
  return `The worker ${pause} before statement ${at} of a round, and another one runs all steps`;
}

/** While a round of the worker stands between two statements, something else happens. */
async function interrupt({ world, random, story, now }: Scene, actions: readonly Action[]): Promise<string> {
  const { pool } = world.harness;
  const at = random.int(1, 60);
  let says = 'nothing happens';
  pool.pauseAt(at, async () => {
    const done = await random.weighted(actions).act({ world, random, story, now });
    says = typeof done === 'string' ? done : (done?.says ?? says);
  });
  const failed = await runAll(world);
  return pool.hasStruck() ? `Before statement ${at} of a round: ${says}` : allRan(failed);
}

const jump =
  (from: number, to: number): Action['act'] =>
  ({ world, random }) => {
    const seconds = random.int(from, to);
    world.advance(seconds);
    if (seconds > 0) mineAll(world, () => 1);
    if (seconds < 0) world.records.hasClockGoneBack = true;
    return `The clock jumps ${Math.abs(seconds)} s ${seconds > 0 ? 'forward' : 'back'}`;
  };

export const PROCESS_FAULTS: readonly Action[] = [
  ...[...CRASH_POINTS, ...SWEEP_CRASH_POINTS, ...RETURN_CRASH_POINTS].map((point) => ({
    name: `a crash at ${point}`,
    weight: 1,
    act: (scene: Scene) => crashAt(scene, point),
  })),
  { name: 'a merchant acts within a round', weight: 8, act: (scene) => interrupt(scene, MERCHANTS) },
  { name: 'an owner acts within a round', weight: 3, act: (scene) => interrupt(scene, OWNERS) },
  {
    name: 'the operator runs a command within a round',
    weight: 3,
    act: (scene) => interrupt(scene, RETURN_ACTIONS),
  },
  { name: 'a customer pays within a round', weight: 3, act: (scene) => interrupt(scene, CUSTOMER_ACTIONS) },
  { name: 'a chain goes on within a round', weight: 4, act: (scene) => interrupt(scene, [...CHAIN_FAULTS, ...BLOCKS]) },
  { name: 'two workers at once', weight: 4, act: (scene) => stall(scene, 0) },
  { name: 'a stall longer than every lease', weight: 4, act: (scene) => stall(scene, scene.random.int(5, 90)) },
  { name: 'the clock jumps forward', weight: 2, act: jump(300, 5400) },
  { name: 'the clock jumps back', weight: 2, act: jump(-240, -5) },
  {
    name: 'the worker starts again',
    weight: 2,
    act: ({ world }) => {
      world.restartWorker();
      return 'The worker starts again';
    },
  },
  {
    name: 'the web process starts again',
    weight: 1,
    act: ({ world }) => {
      world.restartWeb();
      return 'The web process starts again';
    },
  },
  {
    name: 'the signer starts again',
    weight: 2,
    act: ({ world }) => {
      world.harness.signer.restart();
      return 'The signer starts again';
    },
  },
  {
    name: 'the signer is away',
    weight: 2,
    act: ({ world }) => {
      if (world.harness.signer.isDown) return null;
      world.harness.signer.isDown = true;
      return 'The signer does not answer';
    },
  },
];
