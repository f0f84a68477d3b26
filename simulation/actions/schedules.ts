// Owners set and remove payout schedules and refund reserves, and look at their balances, which must be what a second bookkeeping says. A
// journey brings one schedule to its payout.

import { balancesOf } from '@/lib/payouts/hold';
import { setReserve } from '@/lib/payouts/reserve';
import { removeSchedule, setSchedule } from '@/lib/payouts/schedules/set';
import { centOf } from '@/simulation/chain/units';
import { CUSTOMERS } from '@/simulation/parties';
import { assetKey, changed, type SimulatedSchedule } from '@/simulation/payouts/schedules';
import { reserveOf } from '@/simulation/payouts/scheduled';
import { figuresOf, readFunds, type Asset } from '@/simulation/stops/funds';
import { cents } from '@/simulation/story';
import type { SimulatedStore } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Action, Done, Scene } from './action';
import { attempt, outcome } from './attempt';
import { by } from './merchants';
import { askForRefund, goOn, NO_ORDER, openPaidOrder, stepsOn } from './orders';
import { giveAddress, requestOfOrder } from './payout-journeys';
import { runSome } from './product';

const TEST = 'test' as const;
const REQUEST = /^request scheduled/;
const A_DAY = 86_400;
const unrecorded = (): Promise<void> => Promise.resolve();
const tokenOf = ({ network, currency }: Asset): string => `${currency} on ${network}`;

function drawAsset({ world, random }: Scene): { readonly store: SimulatedStore; readonly asset: Asset } {
  const store = random.pick(world.stores);
  const { network, spec } = random.pick(world.chains);
  const currency = random.pick(Object.keys(spec.tokens));
  return { store, asset: { storeId: store.storeId, network, currency } };
}

async function keep(world: World, asset: Asset, amount: bigint): Promise<string> {
  const set = await attempt(world, () =>
    setReserve(world.context, { ...asset, environment: TEST }, amount, unrecorded),
  );
  const { payouts } = world.records;
  if ('done' in set)
    payouts.rules = { ...payouts.rules, reserves: changed(payouts.rules.reserves, assetKey(asset), amount) };
  return outcome(set);
}

async function schedule(world: World, asset: Asset, wanted: SimulatedSchedule): Promise<string> {
  const set = await attempt(world, () =>
    setSchedule(world.context, { ...asset, environment: TEST }, wanted, unrecorded),
  );
  const { payouts } = world.records;
  if ('done' in set && 'set' in set.done)
    payouts.rules = { ...payouts.rules, schedules: changed(payouts.rules.schedules, assetKey(asset), wanted) };
  return outcome(set);
}

async function remove(world: World, asset: Asset): Promise<string> {
  const removed = await attempt(world, () =>
    removeSchedule(world.context, { ...asset, environment: TEST }, unrecorded),
  );
  const { payouts } = world.records;
  if ('done' in removed)
    payouts.rules = { ...payouts.rules, schedules: changed(payouts.rules.schedules, assetKey(asset), null) };
  return outcome(removed);
}

/** At the end of a history owners are paid out by hand, so that everything comes to its end. */
export async function removeSchedules(world: World): Promise<void> {
  for (const { storeId } of world.stores)
    for (const { network, spec } of world.chains)
      for (const currency of Object.keys(spec.tokens)) {
        const asset = { storeId, network, currency };
        if (world.records.payouts.rules.schedules.has(assetKey(asset))) await remove(world, asset);
      }
}

const drawSchedule = ({ random }: Scene): SimulatedSchedule => ({
  interval: random.pick(['threshold', 'threshold', 'daily']),
  least: random.pick([100n, 1000n]),
});

async function setOne(scene: Scene): Promise<Done> {
  const { store, asset } = drawAsset(scene);
  const { rules } = scene.world.records.payouts;
  if (rules.schedules.has(assetKey(asset)) && scene.random.chance(50))
    return by(store, `removes its schedule of ${tokenOf(asset)}: ${await remove(scene.world, asset)}`);
  const wanted = drawSchedule(scene);
  const said = await schedule(scene.world, asset, wanted);
  return by(store, `sets a schedule (${wanted.interval}) of ${tokenOf(asset)}: ${said}`);
}

async function reserveOne(scene: Scene): Promise<Done> {
  const { store, asset } = drawAsset(scene);
  const amount = scene.random.pick([0n, 100n, 1500n, 30_000n]);
  const said = await keep(scene.world, asset, amount);
  return by(store, `keeps ${cents(amount)} of ${tokenOf(asset)} for refunds: ${said}`);
}

/** What the owner's page shows of each token. Throws an Error where a second bookkeeping says otherwise. */
async function look(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const { storeId, name } = random.pick(world.stores);
  const shown = await attempt(world, () => balancesOf(world.context, { storeId, environment: TEST, hours: 0 }));
  if (!('done' in shown)) return `${name} reads its balances: ${shown.refused}`;
  const all = await readFunds(world);
  for (const { network, currency, available, pending, kept, quarantined } of shown.done) {
    const asset = { storeId, network, currency };
    const expected = figuresOf(all.get(assetKey(asset)), reserveOf(world, asset));
    const real = { available, pending, kept, quarantined };
    for (const figure of ['available', 'pending', 'kept', 'quarantined'] as const)
      if (real[figure].baseUnits !== expected[figure])
        throw new Error(
          `${name} reads ${real[figure].baseUnits} base units of ${tokenOf(asset)} as ${figure}, and should read ${expected[figure]}`,
        );
  }
  return `${name} reads its balances`;
}

const runSchedules = async ({ world }: Scene): Promise<string> => {
  const failed = await runSome(world, REQUEST);
  return `The worker requests what schedules pay${failed.length > 0 ? ', which fails' : ''}`;
};

/** An order is paid to a store with an address, a reserve and a schedule; its money is then wanted by the schedule, by hand and for a refund. */
async function pays(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const amount = BigInt(random.int(400, 9000));
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount });
  if (!order) return NO_ORDER;
  const { chain, currency } = order.means;
  const { store } = order.terms;
  const asset = { storeId: store.storeId, network: chain.network, currency };
  const balance = (await readFunds(world)).get(assetKey(asset))?.balance ?? 0n;
  const all = balance > 0n ? balance / centOf(chain, currency) : 0n;
  const wanted = drawSchedule(scene);
  const allBut = (rest: bigint): bigint => (all > rest ? all - rest : 0n);
  const reserve = random.pick([0n, all / 3n, all / 3n, allBut(150n), allBut(wanted.least - 1n), all + 1n]);
  const told = [
    `${store.name} keeps ${cents(reserve)} of ${tokenOf(asset)} for refunds: ${await keep(world, asset, reserve)}`,
    `it sets a schedule (${wanted.interval}, ${cents(wanted.least)} or more): ${await schedule(world, asset, wanted)}`,
  ];
  if (random.chance(90)) told.push(...(await giveAddress(scene, order)));
  // Takes what is above the reserve, or less.
  if (random.chance(30)) told.push(await requestOfOrder(scene, order));
  if (random.chance(30)) told.push((await askForRefund(scene, order, order.terms.dueCents / 2n + 1n)).says);
  if (wanted.interval === 'daily') world.advance(A_DAY);
  told.push(await runSchedules(scene), await look(scene));
  await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: random.int(1, 3), blocks: random.pick([1, 6]) });
  if (random.chance(50)) {
    world.advance(3601);
    told.push(await runSchedules(scene));
  }
  return told.join('; ');
}

export const SCHEDULE_ACTIONS: readonly Action[] = [
  { name: 'an owner sets or removes a schedule', weight: 6, act: setOne },
  { name: 'an owner keeps a reserve', weight: 6, act: reserveOne },
  { name: 'an owner reads the balances', weight: 6, act: look },
  { name: 'schedules are decided', weight: 8, act: runSchedules },
];

export const SCHEDULE_JOURNEYS: readonly Action[] = [{ name: 'a schedule pays', weight: 10, act: pays }];
