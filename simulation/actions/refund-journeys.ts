// Refunds in one step, from the order to the money: with a trouble on the way, several at once, in parts, and of payments that
// are not of one ordinary wallet.

import { CUSTOMERS, EXCHANGE, RELAYER } from '@/simulation/parties';
import { readSnapshot } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import type { SimulatedStore } from '@/simulation/stores';
import type { Action, Scene } from './action';
import { decideException } from './merchants';
import {
  askForRefund,
  goOn,
  meansOf,
  NO_ORDER,
  openOrder,
  openPaidOrder,
  pay,
  stepsOn,
  type Means,
  type Order,
  type Payer,
} from './orders';
import { takeUp, type Trouble } from './refunding';
import { TROUBLES } from './troubles';

/** Merchants know the limits of their orders and refunds, and some reach them. */
const anyAmount = ({ random }: Scene, { refundDayLimit, dayLimit }: SimulatedStore): bigint => {
  const drawn = BigInt(random.pick([random.int(100, 900), random.int(1000, 5000), random.int(5000, 40_000)]));
  const most = dayLimit !== null && dayLimit < refundDayLimit ? dayLimit : refundDayLimit;
  return drawn < most ? drawn : most / 8n;
};

const orderText = ({ story }: Scene, { terms, means }: Order): string =>
  `${story.name('session', terms.id)} over ${cents(terms.dueCents)} is paid with ${means.currency} on ${means.chain.network}`;

async function refundInTrouble(scene: Scene, trouble: Trouble): Promise<string> {
  const { random, world } = scene;
  const store = random.pick(world.stores);
  const isFit = (means: Means): boolean => trouble.isFit?.(means, scene) ?? true;
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount: anyAmount(scene, store), store, isFit });
  if (!order) return NO_ORDER;
  const { says, refundId } = await askForRefund(scene, order);
  const troubled = await trouble.act({ scene, order, refundId });
  return `${orderText(scene, order)}; ${says}; ${troubled}`;
}

/** A merchant calls a sale off: several customers of one token get their money back at the same time. */
async function saleIsCalledOff(scene: Scene): Promise<string> {
  const { random, world } = scene;
  const store = random.pick(world.stores);
  const isLimited = store.dayLimit !== null || store.refundDayLimit < 100_000n;
  const isSmall = isLimited || random.chance(30);
  const [least, most] = isSmall ? [500, 2000] : [20_000, 39_000];
  const orders: Order[] = [];
  for (let left = random.int(isSmall ? 2 : 3, 4); left > 0; left--) {
    const [first] = orders;
    const isFit = ({ chain, currency }: Means): boolean =>
      first === undefined || (first.means.chain === chain && first.means.currency === currency);
    const amount = BigInt(random.int(least, most));
    const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount, store, isFit });
    if (order) orders.push(order);
  }
  const [first] = orders;
  if (!first) return NO_ORDER;
  const told = [...orders.map((order) => orderText(scene, order))];
  for (const order of orders) told.push((await askForRefund(scene, order)).says);
  await takeUp({ scene, order: first });
  told.push(...(await whileSent(scene, first)));
  await goOn(scene, stepsOn(first.means, 'refunds'), { rounds: 3 });
  return told.join('; ');
}

const OTHER_MOODS = ['refusals', 'refusals', 'none'] as const;
const MOODS = {
  fees: (network: string) => `fees on ${network} spike`,
  refusals: (network: string) => `no endpoint of ${network} takes transactions`,
  nonces: (network: string) => `the endpoints of ${network} forget what the wallet has sent`,
};

/**
 * How the network takes several refund payments: at once, after a spike of its fees, only when its endpoints take transactions again, or
 * while they forget what the wallet has sent.
 */
async function whileSent(scene: Scene, { means }: Order): Promise<string[]> {
  const { random, world } = scene;
  const { chain } = means;
  const wanted = stepsOn(means, 'refunds');
  // A transaction on TRON is bound to the fee of its draft, and fails when energy becomes dearer before its block.
  const moods = chain.spec.family === 'evm' ? (['fees', 'refusals', 'nonces', 'none'] as const) : OTHER_MOODS;
  const mood = random.pick(moods);
  if (mood === 'none') return [];
  const endpoints = world.endpoints.filter((one) => one.chain === chain && one.fault === null);
  if (mood === 'fees') chain.setFees(12n);
  else for (const one of endpoints) one.set(mood === 'nonces' ? 'lower_nonce' : 'underpriced');
  await goOn(scene, wanted, { rounds: random.int(1, 3), seconds: 5, blocks: random.int(0, 1) });
  if (mood === 'fees') chain.setFees(1n);
  else for (const one of endpoints) one.set(null);
  return [MOODS[mood](chain.network)];
}

/** A merchant refunds an order item by item, faster than their payments land. */
async function refundInParts(scene: Scene): Promise<string> {
  const { random } = scene;
  const amount = BigInt(random.pick([random.int(1100, 3900), random.int(10_100, 30_000)]));
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount });
  if (!order) return NO_ORDER;
  const count = BigInt(random.int(2, 4));
  const told = [orderText(scene, order)];
  for (let part = 0n; part < count; part++) told.push((await askForRefund(scene, order, amount / count)).says);
  await takeUp({ scene, order });
  await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: random.int(2, 4), blocks: random.pick([1, 6]) });
  return told.join('; ');
}

/** Somebody pays a session that another person has paid, and the merchant sends the second payment back. */
async function secondPayment(scene: Scene): Promise<string> {
  const { random, world, story } = scene;
  const [alice, bob] = [random.pick(CUSTOMERS), random.pick(CUSTOMERS)];
  const store = random.pick(world.stores);
  const order = await openPaidOrder(scene, alice, { amount: anyAmount(scene, store), store });
  if (!order) return NO_ORDER;
  const { terms } = order;
  const means = random.pick([order.means, random.pick(meansOf(world, terms))]);
  const amount = random.pick([terms.dueCents, terms.dueCents, terms.dueCents / 2n + 1n]);
  const told = [orderText(scene, order), pay(scene, { terms, means }, { ...bob, amount })];
  await goOn(scene, stepsOn(means, 'watch'), { rounds: 2 });
  const now = await readSnapshot(world.harness.database.pool);
  const exceptions = now.exceptions.filter((one) => one.session_id === terms.id);
  const decided = await decideException({ ...scene, now: { ...now, exceptions } }, 'refund');
  if (decided === null) return `${told.join('; ')}; ${story.name('session', terms.id)} has no exception`;
  told.push(typeof decided === 'string' ? decided : decided.says);
  await takeUp({ scene, order: { terms, means } });
  await goOn(scene, stepsOn(means, 'refunds'), { rounds: 3 });
  return told.join('; ');
}

type Way = (scene: Scene, order: Order) => readonly Order[];

/** By whom a session is paid whose refund is not simply the way back. */
const WAYS: readonly Way[] = [
  (scene, order) => payAll(scene, [order], [{ name: 'An exchange', addresses: EXCHANGE }]),
  (scene, order) => {
    pay(scene, order, { ...scene.random.pick(CUSTOMERS), by: RELAYER });
    return [order];
  },
  // A wallet that delegates to a contract (parties.ts).
  (scene, order) => payAll(scene, [order], [CUSTOMERS.at(-1)!]),
  (scene, order) => payInHalves(scene, order),
  (scene, order) => payInHalves(scene, order),
];

function payAll(scene: Scene, orders: readonly Order[], payers: readonly Payer[]): readonly Order[] {
  for (const order of orders) for (const payer of payers) pay(scene, order, payer);
  return orders;
}

/** Two people pay a half each, on two networks if the session has two. */
function payInHalves(scene: Scene, order: Order): readonly Order[] {
  const { world, random } = scene;
  const { terms, means } = order;
  const amount = (terms.dueCents + 1n) / 2n;
  const elsewhere = meansOf(world, terms).filter(({ chain }) => chain !== means.chain);
  const other = { terms, means: elsewhere.length > 0 ? random.pick(elsewhere) : means };
  const first = random.pick(CUSTOMERS);
  pay(scene, order, { ...first, amount });
  pay(scene, other, { ...random.pick(CUSTOMERS.filter((one) => one !== first)), amount });
  return [order, other];
}

async function unusualPayment(scene: Scene): Promise<string> {
  const { random, world } = scene;
  const store = random.pick(world.stores);
  const terms = await openOrder(scene, anyAmount(scene, store), store);
  const means = terms ? meansOf(world, terms) : [];
  if (!terms || means.length === 0) return NO_ORDER;
  const paid = random.pick(WAYS)(scene, { terms, means: random.pick(means) });
  for (const one of paid) await goOn(scene, stepsOn(one.means, 'watch'), { rounds: 2 });
  const told = paid.map((order) => orderText(scene, order));
  // The session is completed by its last payment.
  const completed = paid.at(-1)!;
  for (const order of [completed, ...paid.filter((one) => one !== completed)]) {
    const { says } = await askForRefund(scene, order);
    told.push(says);
    if (says.endsWith('201')) break;
  }
  for (const order of paid) {
    await takeUp({ scene, order });
    await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: 2 });
  }
  return told.join('; ');
}

export const REFUND_JOURNEYS: readonly Action[] = [
  ...TROUBLES.map((trouble) => ({
    ...{ name: `a refund, and ${trouble.name}`, weight: 7 },
    act: (scene: Scene) => refundInTrouble(scene, trouble),
  })),
  { name: 'a sale is called off', weight: 12, act: saleIsCalledOff },
  { name: 'an order is refunded in parts', weight: 8, act: refundInParts },
  { name: 'a second payment goes back', weight: 10, act: secondPayment },
  { name: 'an unusual payment is refunded', weight: 12, act: unusualPayment },
];
