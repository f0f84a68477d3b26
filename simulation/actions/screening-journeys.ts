// A payment meets the screening, in one step: its payer or its payee is named by a list before or after the payment was requested, or
// no source answers about its payer for a while. Operators then release the hits, now or at the end.

import { crashDuring } from '@/simulation/faults/process-faults';
import { CUSTOMERS, type Customer } from '@/simulation/parties';
import type { Action, Scene } from './action';
import { askForRefund, goOn, NO_ORDER, openPaidOrder, stepsOn, type Order } from './orders';
import { requestOfOrder } from './payout-journeys';
import { recover, runSome } from './product';
import { runRefunds, takeUp } from './refunding';
import { listPeople, releaseAll, removeHook, SCREENING_STEPS, switchOn, setHook } from './screening';
import { walletsOf } from './payouts';

/** Longer than the longest pause before an address without an answer is asked about again. Seconds. */
const BETWEEN_QUESTIONS = 601;
const STEPS = 'refunds';

const amountOf = ({ random }: Scene): bigint => BigInt(random.pick([random.int(100, 900), random.int(1000, 8000)]));
const screen = ({ world }: Scene): Promise<unknown> => runSome(world, SCREENING_STEPS);
const work = (scene: Scene, { means }: Order, rounds: number): Promise<void> =>
  goOn(scene, stepsOn(means, STEPS), { rounds, blocks: scene.random.pick([1, 6]) });

/** The merchant refunds the order, or the owner has its store's balance paid out. Half of the time both. */
async function ask(scene: Scene, order: Order): Promise<string> {
  const refund = async (): Promise<string> => (await askForRefund(scene, order)).says;
  // Also what the owner's page does not offer: it must be refused while it is frozen or waits.
  const page = scene.random.chance(50) ? order.terms.dueCents : undefined;
  const payout = (): Promise<string> => requestOfOrder(scene, order, page);
  const told: string[] = [];
  for (const act of scene.random.pick([[refund], [payout], [payout], [payout, refund]])) told.push(await act());
  return told.join('; ');
}

/** A request of a signature has no answer before the list changes, so the worker would repeat it. */
async function askTheSigner(scene: Scene, order: Order): Promise<string> {
  const { world } = scene;
  const at = { scene, order, refundId: '' };
  await crashDuring(world, 'after-asked', () => runRefunds(at));
  recover(world);
  // What the worker had leased comes due again.
  world.advance(60);
  return 'the worker dies while it asks the signer';
}

async function listSomebody({ world, random }: Scene, { terms }: Order, payer: Customer): Promise<string> {
  const [owner] = walletsOf(world, terms.store);
  const isPayer = random.chance(75);
  const said = await listPeople(world, isPayer ? payer.addresses : owner);
  return `a list names ${isPayer ? payer.name : 'the owner'}: ${said}`;
}

async function listed(scene: Scene): Promise<string> {
  const { world, random } = scene;
  await switchOn(world);
  const payer = random.pick(CUSTOMERS);
  const order = await openPaidOrder(scene, payer, { amount: amountOf(scene) });
  if (!order) return NO_ORDER;
  // A sender is asked about once, so the hook names the payer before.
  const isByHook = random.chance(25);
  if (isByHook) setHook(world, 'answers', Object.values(payer.addresses));
  // What is cleared first becomes a hit by the list; what is not is a hit when it is asked about.
  if (random.chance(70)) await screen(scene);
  const told = [await ask(scene, order)];
  await takeUp({ scene, order });
  if (random.chance(40)) told.push(await askTheSigner(scene, order));
  told.push(isByHook ? `the hook names ${payer.name}` : await listSomebody(scene, order, payer));
  await screen(scene);
  await work(scene, order, random.int(1, 3));
  if (random.chance(40)) told.push(await ask(scene, order));
  if (random.chance(60)) {
    told.push(`operators release ${await releaseAll(world)} hits`);
    await screen(scene);
    if (random.chance(60)) told.push(await ask(scene, order));
    await work(scene, order, random.int(1, 3));
  }
  return told.join('; ');
}

async function unanswered(scene: Scene): Promise<string> {
  const { world, random } = scene;
  await switchOn(world);
  const mode = random.pick(['unknown', 'fails'] as const);
  setHook(world, mode);
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount: amountOf(scene) });
  if (order && random.chance(70)) await screen(scene);
  const told = [
    `the hook of the screening ${mode === 'fails' ? 'fails' : 'knows no address'}`,
    order ? await ask(scene, order) : NO_ORDER,
  ];
  if (order) {
    await takeUp({ scene, order });
    await work(scene, order, random.int(1, 2));
  }
  const isRemoved = random.chance(50);
  if (isRemoved) removeHook(world);
  else setHook(world, 'answers', []);
  if (!order) return told.join('; ');
  world.advance(BETWEEN_QUESTIONS);
  await screen(scene);
  told.push(isRemoved ? 'it is removed' : 'it clears everybody', await ask(scene, order));
  await work(scene, order, random.int(1, 3));
  return told.join('; ');
}

export const SCREENING_JOURNEYS: readonly Action[] = [
  { name: 'a list names somebody of a payment', weight: 12, act: listed },
  { name: 'the screening of a payment has no answer', weight: 8, act: unanswered },
];
