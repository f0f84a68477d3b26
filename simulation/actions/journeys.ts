// Whole journeys in one step, as most orders go: paid at once, refunded without a hitch. Without them a history would spend
// its steps on waiting, and few refunds would be under way when something fails.

import { CHAIN_FAULTS } from '@/simulation/faults/chain-faults';
import { ENDPOINT_FAULTS_AS_ACTIONS } from '@/simulation/faults/table';
import { readSnapshot, type Snapshot } from '@/simulation/snapshot';
import type { Terms } from '@/simulation/stores';
import type { Action, Done, Scene } from './action';
import { CUSTOMER_ACTIONS } from './customers';
import { cancelRefund, createRefund, createSession, decideException } from './merchants';
import { ODD_PAYMENTS } from './odd-payments';
import { runSeldom, runSome } from './product';
import { mineAll } from './time';

/** Enough for every chain to make a block final. */
const BLOCKS = 6;
/** Seconds: longer than any session of a history. */
const A_SESSIONS_LIFE = 1000;
const PAY_EXACTLY = CUSTOMER_ACTIONS.find(({ name }) => name === 'pay exactly')!;
const PAY_MORE = CUSTOMER_ACTIONS.find(({ name }) => name === 'pay too much')!;

/** How orders are paid whose money goes back. */
const PAYMENTS = [...CUSTOMER_ACTIONS, ...ODD_PAYMENTS].filter(({ name }) =>
  /^(pay exactly|pay too much|pay twice|two people|several people|pay from|pay through|one transaction pays)/.test(
    name,
  ),
);
/** Faults of networks only, because a process that ends could not go on with the journey. */
const FAULTS_ON_THE_WAY = [...CHAIN_FAULTS, ...ENDPOINT_FAULTS_AS_ACTIONS];

const words = (done: Done | null): string => (typeof done === 'string' ? done : (done?.says ?? 'nothing'));

/** The scene as it is now, in which there is one session only. */
const aboutOne = (scene: Scene, session: Terms, { sessions, refunds, exceptions, ...rest }: Snapshot): Scene => ({
  ...scene,
  world: { ...scene.world, sessions: [session] },
  now: {
    ...rest,
    sessions: sessions.filter(({ id }) => id === session.id),
    refunds: refunds.filter((one) => one.session_id === session.id),
    exceptions: exceptions.filter((one) => one.session_id === session.id),
  },
});

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

/** An order from the create request to the last refund of its money, with a fault on the way in half of the cases. */
async function wholeOrder(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  const told = [words(await createSession(scene))];
  const [session] = world.sessions.slice(-1);
  if (!session) return null;
  const read = async (): Promise<Scene> => aboutOne(scene, session, await readSnapshot(world.harness.database.pool));
  const tell = (done: Done | null): void => void (done !== null && told.push(words(done)));
  const maybe = async (percent: number, act: (at: Scene) => Promise<Done | null> | Done | null): Promise<void> => {
    if (random.chance(percent)) tell(await act(await read()));
  };
  const fault = (): Promise<Done | null> | Done | null => random.pick(FAULTS_ON_THE_WAY).act(scene);
  tell(await random.pick(PAYMENTS).act(await read()));
  await maybe(25, fault);
  await runAlong(scene, /^watch /, 3);
  await maybe(60, (at) => decideException(at));
  await maybe(90, createRefund);
  await maybe(25, fault);
  await runAlong(scene, /^refunds /, random.int(1, 4));
  await maybe(10, cancelRefund);
  await maybe(40, createRefund);
  await maybe(
    15,
    async () => `the other steps run${(await runSeldom(world)).map((name) => `; ${name} fails`).join('')}`,
  );
  await runAlong(scene, /^(refunds|watch) /, random.int(1, 4));
  return told.join('; ');
}

/** A customer pays after the session has closed, and the merchant takes the payment. */
async function lateOrder(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  const told = [words(await createSession(scene))];
  const [session] = world.sessions.slice(-1);
  if (!session) return null;
  const read = async (): Promise<Scene> => aboutOne(scene, session, await readSnapshot(world.harness.database.pool));
  world.advance(A_SESSIONS_LIFE);
  await runAlong(scene, /^(watch|expire) /, 2);
  told.push(words(await random.pick([PAY_EXACTLY, PAY_EXACTLY, PAY_MORE]).act(await read())));
  await runAlong(scene, /^watch /, 3);
  const decided = await decideException(await read(), random.pick(['accept', 'accept', 'refund', 'leave']));
  if (decided !== null) told.push(words(decided));
  const refunded = random.chance(50) ? await createRefund(await read()) : null;
  if (refunded !== null) told.push(words(refunded));
  await runAlong(scene, /^(refunds|watch) /, 2);
  return told.join('; ');
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
  { name: 'an order is paid and refunded', weight: 40, act: wholeOrder },
  { name: 'a late payment is taken', weight: 8, act: lateOrder },
];
