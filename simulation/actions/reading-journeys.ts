// Journeys of payments that are read badly: an endpoint hides them until their session is over, a theft of the same amount covers
// them, or the database fails at a commit of the window that has them.

import type { SimulatedChain } from '@/simulation/chain/chain';
import type { StatementFault } from '@/simulation/faults/simulated-pool';
import { CUSTOMERS, THIEF } from '@/simulation/parties';
import { depositAddress, type Terms } from '@/simulation/stores';
import type { Action, Done, Scene } from './action';
import { begin, runAlong, type Journey } from './journeys';
import { meansOf, pay, stepsOn, type Order, type Payer } from './orders';
import { A_SESSIONS_LIFE, chooseChain, onNetwork, PAY_EXACTLY } from './payment-journeys';
import { recover, runSome } from './product';
import { mineAll } from './time';

/** One endpoint leaves out what a customer pays, until the session is over. Says nothing when a fault of the network lasts already. */
async function hide(
  scene: Scene,
  { tell }: Journey,
  { chain, pays }: { readonly chain: SimulatedChain; readonly pays: () => Promise<Done | null> | Done | null },
): Promise<void> {
  const { world, random } = scene;
  const own = world.endpoints.filter((one) => one.chain === chain);
  if (own.some(({ fault }) => fault !== null)) return;
  // The product asks the first one that works.
  const endpoint = random.chance(70) ? own[0]! : random.pick(own);
  endpoint.set(random.pick(['blind', 'blind', 'empty_logs', 'truncated_logs']));
  tell(`endpoint ${endpoint.number} of ${chain.network} hides what is paid (${endpoint.fault})`);
  tell(await pays());
  await runAlong(scene, /^watch /, random.int(1, 3));
  world.advance(A_SESSIONS_LIFE);
  // The comparison of balances has a pace of its own.
  await runAlong(scene, random.pick([/^(watch|balances|expire) /, /^(watch|expire) /]), random.int(2, 4));
  endpoint.set(null);
  tell('it tells the truth again');
  await runAlong(scene, /^(watch|balances|expire) /, random.int(0, 2));
}

async function hidden(scene: Scene): Promise<string | null> {
  if (scene.world.isTrusting) return null;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const at = await journey.now();
  const chain = chooseChain(at);
  await hide(scene, journey, { chain, pays: () => PAY_EXACTLY.act(onNetwork(at, chain)) });
  return journey.told();
}

/** A thief moves the first half of a price from its address, and an endpoint hides the second half. */
async function hiddenByTheft(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  if (world.isTrusting) return null;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const [terms] = (await journey.now()).world.sessions as [Terms];
  const [means] = meansOf(world, terms);
  if (!means) return journey.told();
  const { chain, currency } = means;
  const order: Order = { terms, means };
  const payer: Payer = random.pick(CUSTOMERS);
  const half = (terms.dueCents + 1n) / 2n;
  journey.tell(pay(scene, order, { ...payer, amount: half }));
  await runAlong(scene, stepsOn(means, 'watch'), 2);
  const [token, address] = [chain.spec.tokens[currency]!.contract, depositAddress(terms, chain)];
  const held = chain
    .transfers(chain.final())
    .filter((one) => one.recipient === address && one.token === token)
    .reduce((sum, { amount }) => sum + amount, 0n);
  if (held === 0n) return journey.told();
  const moved = { token, payer: address, amount: held };
  const hash = chain.pay({ ...moved, recipient: THIEF[chain.spec.family], needsFunds: true });
  world.records.outflows.push({ network: chain.network, hash, moved: [{ address, token, amount: held }] });
  world.records.thefts.add(hash);
  journey.tell('a thief moves it from the deposit address');
  await runAlong(scene, stepsOn(means, 'watch'), 2);
  await hide(scene, journey, { chain, pays: () => pay(scene, order, { ...payer, amount: half }) });
  return journey.told();
}

/** Commits of the runs that read the blocks of a payment. */
const MOST_COMMITS = 4;
const FAULTS: readonly StatementFault[] = ['crash_before', 'crash_after', 'lost_before', 'lost_after', 'deadlock'];

/** The worker dies, or its connection, at one of the commits by which it stores a payment. */
async function databaseFails(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const at = await journey.now();
  const chain = chooseChain(at);
  journey.tell(await PAY_EXACTLY.act(onNetwork(at, chain)));
  world.advance(20);
  mineAll(world, () => 6);
  const [fault, commit] = [random.pick(FAULTS), random.int(1, MOST_COMMITS)];
  const { pool } = world.harness;
  pool.plan(fault, commit, 'commits');
  await runSome(world, stepsOn({ chain, currency: '' }, 'watch'));
  journey.tell(pool.hasStruck() ? `"${fault}" strikes at commit ${commit}` : 'nothing happens');
  recover(world);
  await runAlong(scene, /^watch /, random.int(1, 2));
  return journey.told();
}

export const READING_JOURNEYS: readonly Action[] = [
  { name: 'an endpoint hides a payment', weight: 10, act: hidden },
  { name: 'an endpoint hides a payment, and a thief takes as much', weight: 8, act: hiddenByTheft },
  { name: 'a payment is read, and the database fails', weight: 8, act: databaseFails },
];
