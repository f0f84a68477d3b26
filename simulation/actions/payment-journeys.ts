// Journeys of payments that something goes wrong with: a block that is replaced, an endpoint that is the only one left, a worker that stands still, a receiver that is away, a decision in two parts.

import { failNetwork } from '@/simulation/faults/table';
import { cents } from '@/simulation/story';
import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import { CUSTOMERS } from '@/simulation/parties';
import { depositAddress, type Terms } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Action, Scene } from './action';
import { CUSTOMER_ACTIONS } from './customers';
import { begin, runAlong } from './journeys';
import { createRefund, decideException } from './merchants';
import { runSome } from './product';
import { mineAll } from './time';

/** Seconds: longer than any session of a history. */
export const A_SESSIONS_LIFE = 1000;
const paying = (wanted: string): Action => CUSTOMER_ACTIONS.find(({ name }) => name === wanted)!;
export const PAY_EXACTLY = paying('pay exactly');
const PAY_MORE = paying('pay too much');

/** The scene in which its only session offers one network. */
export const onNetwork = (at: Scene, { network }: SimulatedChain): Scene => ({
  ...at,
  world: { ...at.world, sessions: at.world.sessions.map((one): Terms => ({ ...one, networks: [network] })) },
});

/** One of the networks that a new session offers. */
export const chooseChain = ({ world, random }: Scene): SimulatedChain => {
  const offered = world.chains.filter(({ network }) => world.sessions[0]?.networks.includes(network));
  return random.pick(offered.length > 0 ? offered : world.chains);
};

/** Pauses with blocks while no worker runs: enough blocks for every transaction to lapse, and no more, because they are read later. */
const [PAUSES, BLOCKS_OF_A_PAUSE] = [10, 3];
function standStill(world: World, seconds: number): void {
  for (let left = PAUSES; left > 0; left--) {
    world.advance(Math.ceil(seconds / PAUSES));
    mineAll(world, () => BLOCKS_OF_A_PAUSE);
  }
}

/** A payment is shown as on its way, and its block is replaced by others without it. */
async function dropped(scene: Scene): Promise<string> {
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { world, random } = scene;
  const at = await journey.now();
  const chain = chooseChain(at);
  journey.tell(await PAY_EXACTLY.act(onNetwork(at, chain)));
  mineAll(world, () => 1);
  await runSome(world, /^watch /);
  const removed = chain.reorg(99, () => true);
  chain.dropWaiting();
  journey.tell(`${chain.network} replaces its ${removed} newest blocks, and forgets what they held`);
  await runAlong(scene, random.pick([/^watch /, /^(watch|expire) /]), random.int(2, 4));
  return journey.told();
}

/** Seconds from one part to the next: the product reads each of them alone. */
const PARTS = 3;
/** A session is paid in small parts while only one endpoint of the network answers. */
async function alone(scene: Scene): Promise<string> {
  const { world, random, story } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const at = await journey.now();
  const [chain, [session]] = [chooseChain(at), at.world.sessions as [Terms]];
  const own = world.endpoints.filter((one) => one.chain === chain);
  const left = random.pick(own);
  for (const one of own) if (one !== left && one.fault === null) one.set('silent');
  journey.tell(`only endpoint ${left.number} of ${chain.network} answers`);
  for (let part = 0; part < PARTS; part++) {
    const due = BigInt(random.int(500, 1900));
    const payer = random.pick(CUSTOMERS);
    const currency = random.pick(Object.keys(chain.spec.tokens));
    const amount = due * centOf(chain, currency);
    const token = chain.spec.tokens[currency]!.contract;
    const { family } = chain.spec;
    const hash = chain.pay({
      token,
      payer: payer.addresses[family],
      recipient: depositAddress(session, chain),
      amount,
    });
    journey.tell(`${payer.name} sends ${cents(due)} ${currency} (${story.name('payment', hash)})`);
    await runAlong(scene, /^watch /, 2);
  }
  return journey.told();
}

/** A refund is on its way, and no worker looks at it until it can be mined no more. */
async function unwatchedRefund(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { now, tell, told } = journey;
  const chain = chooseChain(await now());
  tell(await PAY_EXACTLY.act(onNetwork(await now(), chain)));
  await runAlong(scene, /^watch /, 3);
  tell(await createRefund(await now()));
  for (let runs = random.int(1, 3); runs > 0; runs--) await runSome(world, /^refunds /);
  if (random.chance(70))
    tell(failNetwork(scene, chain, random.pick(['no_receipts', 'no_receipts', 'no_receipts', 'silent', 'stale'])));
  const minutes = random.pick([6, 15, 30]);
  standStill(world, minutes * 60);
  tell(`the worker stands still for ${minutes} minutes`);
  await runAlong(scene, /^(refunds|watch) /, random.int(3, 5));
  return told();
}

/** No worker runs from before a payment until long after the end of its session, and the networks may fail when one starts. */
async function unwatchedPayment(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { now, tell, told } = journey;
  const chain = chooseChain(await now());
  tell(await PAY_EXACTLY.act(onNetwork(await now(), chain)));
  const minutes = random.int(20, 45);
  standStill(world, minutes * 60);
  tell(`the worker stands still for ${minutes} minutes, and starts again`);
  world.restartWorker();
  if (random.chance(50)) tell(failNetwork(scene, chain, random.pick(['silent', 'limited', 'stale'])));
  await runAlong(scene, random.pick([/^expire /, /^(watch|expire) /, /^(watch|balances|expire) /]), random.int(1, 3));
  return told();
}

/** More than the price comes too late. The merchant takes what is missing, and decides about the rest. */
async function lateSurplus(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { now, tell, told } = journey;
  world.advance(A_SESSIONS_LIFE);
  await runAlong(scene, /^(watch|balances|expire) /, 2);
  tell(await random.pick([PAY_MORE, PAY_MORE, PAY_EXACTLY]).act(await now()));
  await runAlong(scene, /^watch /, 3);
  for (const action of ['accept', random.pick(['refund', 'keep', 'leave']), random.pick(['refund', 'keep', 'accept'])])
    tell(await decideException(await now(), action));
  await runAlong(scene, /^(refunds|watch) /, random.int(1, 3));
  return told();
}

export const PAYMENT_JOURNEYS: readonly Action[] = [
  { name: 'a payment is dropped by a reorganisation', weight: 8, act: dropped },
  { name: 'a session is paid while one endpoint answers', weight: 8, act: alone },
  { name: 'a refund is not followed for a while', weight: 10, act: unwatchedRefund },
  { name: 'a payment is not watched for a while', weight: 8, act: unwatchedPayment },
  { name: 'a late surplus is decided about', weight: 8, act: lateSurplus },
];
