// Whole journeys in one step: an order that is paid at once, one that is paid and refunded with a fault on the way, one that is paid
// too late. Without them a history would spend its steps on waiting, and few refunds would be under way when something fails.

import { CHAIN_FAULTS } from '@/simulation/faults/chain-faults';
import { ENDPOINT_FAULTS_AS_ACTIONS } from '@/simulation/faults/table';
import { readSnapshot, type Snapshot } from '@/simulation/snapshot';
import type { Terms } from '@/simulation/stores';
import { words, type Action, type Done, type Scene } from './action';
import { CUSTOMER_ACTIONS } from './customers';
import { cancelRefund, createRefund, createSession, decideException } from './merchants';
import { ODD_TRANSFERS } from './odd-payments';
import { runSeldom, runSome } from './product';
import { mineAll } from './time';

/** Enough for every chain to make a block final. */
const BLOCKS = 6;
/** Seconds: longer than any session of a history. */
const A_SESSIONS_LIFE = 1000;
const PAY_EXACTLY = CUSTOMER_ACTIONS.find(({ name }) => name === 'pay exactly')!;
const PAY_MORE = CUSTOMER_ACTIONS.find(({ name }) => name === 'pay too much')!;

/** How orders are paid whose money goes back. */
const PAYMENTS = [...CUSTOMER_ACTIONS, ...ODD_TRANSFERS].filter(({ name }) =>
  /^(pay exactly|pay too much|pay twice|two people|several people|pay from|pay through|one transaction pays)/.test(
    name,
  ),
);
/** Faults of networks only, because a process that ends could not go on with the journey. */
const FAULTS_ON_THE_WAY = [...CHAIN_FAULTS, ...ENDPOINT_FAULTS_AS_ACTIONS];

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

/** Rounds of 20 seconds with blocks, in which the worker runs the steps of this name. */
export async function runAlong({ world, random }: Scene, wanted: RegExp, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    world.advance(20);
    // A payment may be in any block of what is read at once.
    mineAll(world, () => BLOCKS + random.int(-1, 1));
    await runSome(world, wanted);
  }
}

async function order(scene: Scene): Promise<string> {
  const { world, random, story } = scene;
  const created = await createSession(scene);
  const [session] = world.sessions.slice(-1);
  if (!session) return words(created);
  const now = { ...scene.now, sessions: [] };
  const isOdd = random.chance(25);
  const payment = random.pick(isOdd ? [...CUSTOMER_ACTIONS, ...ODD_TRANSFERS] : [PAY_EXACTLY, PAY_EXACTLY, PAY_MORE]);
  // Such a payment may be for two sessions.
  const sessions = ODD_TRANSFERS.includes(payment) ? world.sessions.slice(-2) : [session];
  const paid = await payment.act({ ...{ random, story, now }, world: { ...world, sessions } });
  await runAlong(scene, /^watch /, 2);
  return `${words(created)}; ${words(paid)}; two minutes pass`;
}

/** What happens to one session: `now` reads its scene, and `tell` adds what was done to the sentence of the step. */
export type Journey = {
  readonly now: () => Promise<Scene>;
  readonly tell: (done: Done | null) => void;
  readonly told: () => string;
};

/** Creates a session. When the request is refused, as that of a suspended store, only the sentence about it. */
export async function begin(scene: Scene): Promise<Journey | string> {
  const { sessions, harness } = scene.world;
  const before = sessions.length;
  const told = [words(await createSession(scene))];
  const session = sessions[before];
  return session === undefined
    ? told.join()
    : {
        now: async () => aboutOne(scene, session, await readSnapshot(harness.database.pool)),
        tell: (done) => void (done !== null && told.push(words(done))),
        told: () => told.join('; '),
      };
}

/** An order from the create request to the last refund of its money, with a fault on the way in half of the cases. */
async function wholeOrder(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { now, tell, told } = journey;
  const maybe = async (percent: number, act: (at: Scene) => Promise<Done | null> | Done | null): Promise<void> => {
    if (random.chance(percent)) tell(await act(await now()));
  };
  const fault = (): Promise<Done | null> | Done | null => random.pick(FAULTS_ON_THE_WAY).act(scene);
  const others = async (): Promise<string> =>
    `the other steps run${(await runSeldom(world)).map((name) => `; ${name} fails`).join('')}`;
  tell(await random.pick(PAYMENTS).act(await now()));
  await maybe(25, fault);
  await runAlong(scene, /^watch /, 3);
  await maybe(60, (at) => decideException(at));
  await maybe(90, createRefund);
  await maybe(25, fault);
  await runAlong(scene, /^refunds /, random.int(1, 4));
  await maybe(10, cancelRefund);
  await maybe(40, createRefund);
  await maybe(15, others);
  await runAlong(scene, /^(refunds|watch) /, random.int(1, 4));
  return told();
}

/** A customer pays after the session has closed, and the merchant takes the payment or sends it back. */
async function lateOrder(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { now, tell, told } = journey;
  world.advance(A_SESSIONS_LIFE);
  await runAlong(scene, /^(watch|expire) /, 2);
  tell(await random.pick([PAY_EXACTLY, PAY_EXACTLY, PAY_MORE]).act(await now()));
  await runAlong(scene, /^watch /, 3);
  tell(await decideException(await now(), random.pick(['accept', 'accept', 'refund', 'leave'])));
  if (random.chance(50)) tell(await createRefund(await now()));
  await runAlong(scene, /^(refunds|watch) /, 2);
  return told();
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
  { name: 'a refund goes its way', weight: 8, act: refund },
  { name: 'an order is paid and refunded', weight: 32, act: wholeOrder },
  { name: 'an order is paid too late', weight: 8, act: lateOrder },
];
