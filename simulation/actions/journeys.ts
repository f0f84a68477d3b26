// Whole journeys in one step, as most orders go: paid at once, refunded without a hitch. Without them a history would spend
// its steps on waiting, and few refunds would be under way when something fails.

import type { Action, Scene } from './action';
import { CUSTOMER_ACTIONS } from './customers';
import { createRefund, createSession } from './merchants';
import { runSome } from './product';
import { mineAll } from './time';
import { readSnapshot } from '@/simulation/snapshot';

/** Enough for every chain to make a block final. */
const BLOCKS = 6;
const PAY_EXACTLY = CUSTOMER_ACTIONS.find(({ name }) => name === 'pay exactly')!;
const PAY_MORE = CUSTOMER_ACTIONS.find(({ name }) => name === 'pay too much')!;

const words = (done: string | { readonly says: string } | null): string =>
  typeof done === 'string' ? done : (done?.says ?? 'nothing');

/** Several minutes of an undisturbed world, in which the worker runs the steps of this name. */
async function runAlong({ world }: Scene, wanted: RegExp, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    world.advance(20);
    mineAll(world, () => BLOCKS);
    await runSome(world, wanted);
  }
}

async function order(scene: Scene): Promise<string> {
  const { world, random, story } = scene;
  const created = await createSession(scene);
  const [session] = world.sessions.slice(-1);
  if (!session) return words(created);
  const now = { ...scene.now, sessions: [] };
  const paid = await random.pick([PAY_EXACTLY, PAY_EXACTLY, PAY_EXACTLY, PAY_MORE]).act({
    ...{ random, story, now },
    world: { ...world, sessions: [session] },
  });
  await runAlong(scene, /^watch /, 2);
  return `${words(created)}; ${words(paid)}; two minutes pass`;
}

async function refund(scene: Scene): Promise<string | null> {
  const now = await readSnapshot(scene.world.harness.database.pool);
  const created = await createRefund({ ...scene, now });
  if (created === null) return null;
  await runAlong(scene, /^refunds /, scene.random.int(1, 5));
  return `${words(created)}; the worker pays refunds for a while`;
}

export const JOURNEYS: readonly Action[] = [
  { name: 'an order is paid', weight: 26, act: order },
  { name: 'a refund goes its way', weight: 16, act: refund },
];
