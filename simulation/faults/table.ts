// All faults as actions. Each begins something that lasts until "a fault ends", or strikes once during the next step.

import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import type { Action, Scene } from '@/simulation/actions/action';
import { mineAll } from '@/simulation/actions/time';
import { runAll } from '@/simulation/actions/product';
import { RECEIVER_FAULT_NAMES, RECEIVER_FAULTS } from '@/simulation/receivers';
import type { World } from '@/simulation/world';
import { ENDPOINT_FAULT_NAMES, ENDPOINT_FAULTS, type EndpointFaultName } from './endpoint-faults';
import { STATEMENT_FAULTS, type StatementFault } from './simulated-pool';

const fault = (name: string, weight: number, act: Action['act']): Action => ({ name, weight, isFault: true, act });

function failEndpoint({ world, random }: Scene, name: EndpointFaultName): string | null {
  const endpoint = random.pick(world.endpoints);
  const others = world.endpoints.filter((one) => one.chain === endpoint.chain && one !== endpoint);
  const isLyingElsewhere = others.some((one) => one.fault !== null && ENDPOINT_FAULTS[one.fault].isFalse);
  if (endpoint.fault !== null || (ENDPOINT_FAULTS[name].isFalse && isLyingElsewhere)) return null;
  endpoint.set(name);
  return `Endpoint ${endpoint.number} of ${endpoint.chain.network} ${ENDPOINT_FAULTS[name].says}`;
}

function reorganise({ world, random, story }: Scene, depth: number): string | null {
  const chain = random.pick(world.chains);
  const dropped: string[] = [];
  const isDropped = (hash: string): boolean => random.chance(25) && dropped.push(story.name('payment', hash)) > 0;
  const removed = chain.reorg(depth, isDropped);
  if (removed === 0) return null;
  const lost = dropped.length > 0 ? ` and loses ${dropped.join(', ')} for good` : '';
  return `${chain.network} replaces its ${removed} newest blocks${lost}`;
}

/** Plans a fault of the database and runs all steps, so that it strikes somewhere. */
async function failStatement({ world, random }: Scene, kind: StatementFault): Promise<string | null> {
  const { pool } = world.laboratory;
  const counts = random.chance(50) ? 'commits' : 'statements';
  const at = random.int(1, counts === 'commits' ? 12 : 90);
  pool.plan(kind, at, counts);
  const failed = await runAll(world);
  if (!pool.hasStruck()) return null;
  return `${STATEMENT_WORDS[kind]} (${counts === 'commits' ? 'commit' : 'statement'} ${at} of a round; failed: ${failed.join(', ') || 'nothing'})`;
}

const STATEMENT_WORDS: Readonly<Record<StatementFault, string>> = {
  crash_before: 'The worker is killed before a statement',
  crash_after: 'The worker is killed right after a statement',
  lost_before: 'The connection is lost before a statement',
  lost_after: 'The connection is lost after a statement that had its effect',
  conflict: 'A transaction loses a race',
};

class ProcessEnded extends Error {}

/** Kills the worker, or the signer at the last three points, when the next refund passes the point. */
async function crashRefund({ world, random }: Scene): Promise<string | null> {
  const point = random.pick(CRASH_POINTS);
  const isSigner = ['before-journal', 'after-journal', 'before-answer'].includes(point);
  let isStruck = false;
  armCrashPoint(point, () => {
    isStruck = true;
    if (isSigner) world.laboratory.signer.isDown = true;
    else world.laboratory.pool.die();
    throw new ProcessEnded('the process ended here');
  });
  await runAll(world);
  armCrashPoint(undefined);
  if (!isStruck) return null;
  if (isSigner) {
    world.laboratory.signer.restart();
    world.laboratory.signer.isDown = false;
  }
  return `${isSigner ? 'The signer' : 'The worker'} is killed at the point "${point}" of a refund`;
}

function endOne({ world, random }: Scene): string | null {
  const ends: (() => string)[] = [
    ...world.endpoints
      .filter((one) => one.fault !== null)
      .map((one) => () => {
        one.set(null);
        return `Endpoint ${one.number} of ${one.chain.network} works again`;
      }),
    ...world.stores
      .filter(({ receiver }) => receiver.fault !== null)
      .map(({ name, receiver }) => () => {
        receiver.fault = null;
        return `The receiver of ${name} works again`;
      }),
    ...[...world.halted].map((network) => () => {
      world.halted.delete(network);
      return `${network} makes blocks again`;
    }),
    ...(world.laboratory.signer.isDown ? [() => wakeSigner(world)] : []),
  ];
  return ends.length > 0 ? random.pick(ends)() : null;
}

function wakeSigner({ laboratory: { signer } }: World): string {
  signer.isDown = false;
  return 'The signer answers again';
}

/** Ends every fault. */
export function calm(world: World): void {
  for (const endpoint of world.endpoints) endpoint.set(null);
  for (const { receiver } of world.stores) receiver.fault = null;
  for (const chain of world.chains) chain.setFees(1n);
  world.halted.clear();
  world.laboratory.signer.isDown = false;
}

export const FAULTS: readonly Action[] = [
  ...ENDPOINT_FAULT_NAMES.map((name) => fault(`endpoint ${name}`, 2, (scene) => failEndpoint(scene, name))),
  ...STATEMENT_FAULTS.map((kind) => fault(`database ${kind}`, 2, (scene) => failStatement(scene, kind))),
  ...RECEIVER_FAULT_NAMES.map((name) =>
    fault(`receiver ${name}`, 1, ({ world, random }) => {
      const store = random.pick(world.stores);
      if (store.receiver.fault !== null) return null;
      store.receiver.fault = name;
      return `The receiver of ${store.name} ${RECEIVER_FAULTS[name]}`;
    }),
  ),
  fault('a reorganisation of one block', 6, (scene) => reorganise(scene, 1)),
  fault('a reorganisation down to finality', 4, (scene) => reorganise(scene, 99)),
  fault('waiting transactions vanish', 3, ({ world, random }) => {
    const chain = random.pick(world.chains);
    const count = chain.dropWaiting();
    return count > 0 ? `${chain.network} forgets ${count} waiting transactions` : null;
  }),
  fault('fees spike', 2, ({ world, random }) => {
    const chain = random.pick(world.chains);
    const factor = random.pick([1n, 3n, 12n, 1000n]);
    chain.setFees(factor);
    return `Fees on ${chain.network} are ${factor} times the usual ones`;
  }),
  fault('a chain stops', 2, ({ world, random }) => {
    const { network } = random.pick(world.chains);
    if (world.halted.has(network)) return null;
    world.halted.add(network);
    return `${network} makes no blocks`;
  }),
  fault('the clock jumps', 2, async ({ world, random }) => {
    const minutes = random.int(5, 90);
    await world.advance(minutes * 60);
    mineAll(world, () => 1);
    return `The clock jumps ${minutes} minutes forward`;
  }),
  fault('a crash within a refund', 5, crashRefund),
  fault('the signer is away', 2, ({ world }) => {
    if (world.laboratory.signer.isDown) return null;
    world.laboratory.signer.isDown = true;
    return 'The signer does not answer';
  }),
  { name: 'a fault ends', weight: 18, act: endOne },
];
