// Sweeps in one step, from the order to the empty address, with a trouble on the way: the worker dies, fees spike and a replaced
// transaction lands, a reorganisation takes the block away, nodes take no delegations, the sponsor has no coin.

import type { NetworkFamily } from '@/lib/networks/chain';
import { SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { crashDuring, killed } from '@/simulation/faults/process-faults';
import { failNetwork } from '@/simulation/faults/table';
import { CUSTOMERS } from '@/simulation/parties';
import { cents } from '@/simulation/story';
import { SPONSORS } from '@/simulation/sweeping';
import type { Action, Scene } from './action';
import { freeze, unfreeze } from './operators';
import {
  goOn,
  meansOf,
  NO_ORDER,
  openOrder,
  openPaidOrder,
  pay,
  stepsOn,
  type Means,
  type Order,
  type Pace,
} from './orders';
import { recover, runSome } from './product';
import { mineAll } from './time';

type Sweeping = { readonly scene: Scene; readonly order: Order };
type Trouble = {
  readonly name: string;
  readonly act: (at: Sweeping) => Promise<string>;
  /** Where it can happen. Absent: on every network that is swept. */
  readonly isFit?: (means: Means) => boolean;
};

/**
 * Rounds until any transaction of a sweep may be under way: on EVM networks the contract is deployed before the first batch, on TRON an
 * address is activated and borrows energy before its transfer, and gives it back afterwards.
 */
const MOST_ROUNDS_BEFORE: Readonly<Record<NetworkFamily, number>> = { evm: 2, tron: 5, solana: 2 };

const isSwept = ({ chain }: Means): boolean => chain.sent !== undefined;
const runSweeps = ({ scene: { world }, order }: Sweeping): Promise<unknown> =>
  runSome(world, stepsOn(order.means, 'sweep'));
const work = ({ scene, order }: Sweeping, pace: Pace): Promise<void> =>
  goOn(scene, stepsOn(order.means, 'sweep|watch'), pace);

async function workerDies(at: Sweeping): Promise<string> {
  const { world, random } = at.scene;
  const point = random.pick(SWEEP_CRASH_POINTS);
  const isStruck = await crashDuring(world, point, () => runSweeps(at));
  recover(world);
  world.advance(random.int(1, 400));
  await work(at, { rounds: 2 });
  return isStruck ? killed(point) : 'nothing happens';
}

/** The sponsor offers a higher price, and one of its transactions lands: the last one, or one that it replaced. */
async function feesSpike(at: Sweeping): Promise<string> {
  const { world, random } = at.scene;
  const { chain } = at.order.means;
  await runSweeps(at);
  chain.setFees(random.pick([3n, 12n]));
  await work(at, { rounds: random.int(2, 4), seconds: 45, blocks: random.pick([0, 0, 1]) });
  chain.setFees(1n);
  const restored = random.chance(60) ? (chain.restoreReplaced?.() ?? 0) : 0;
  mineAll(world, () => 6);
  await work(at, { rounds: 1 });
  return `fees on ${chain.network} spike and fall${restored > 0 ? ', and a replaced transaction lands' : ''}`;
}

/** The block of the sweep goes, and the sweep with it now and then. */
async function blockGoes(at: Sweeping): Promise<string> {
  const { random } = at.scene;
  const { chain } = at.order.means;
  await runSweeps(at);
  await work(at, { rounds: 1, blocks: 1, seconds: 12 });
  const isLost = random.chance(50);
  const removed = chain.reorg(2, () => isLost);
  await work(at, { rounds: 2 });
  return `${chain.network} replaces its ${removed} newest blocks${isLost ? ' and loses what they held' : ''}`;
}

async function noDelegations(at: Sweeping): Promise<string> {
  const { scene, order } = at;
  const says = failNetwork(scene, order.means.chain, 'no_delegations');
  await work(at, { rounds: 5 });
  for (const one of scene.world.endpoints) if (one.fault === 'no_delegations') one.set(null);
  return says ?? 'nothing happens';
}

async function noCoin(at: Sweeping): Promise<string> {
  const { chain } = at.order.means;
  if (at.scene.random.chance(50)) await runSweeps(at);
  for (const sponsor of SPONSORS[chain.spec.family]) chain.penniless?.add(sponsor);
  await work(at, { rounds: 3 });
  chain.penniless?.clear();
  return `the sponsor has no coin on ${chain.network} for a minute`;
}

/** The operator changes the sponsor, or freezes signing, while a sweep waits for its block. */
async function operatorsAct(at: Sweeping): Promise<string> {
  const { world, random } = at.scene;
  const { signer } = world.harness;
  const point = random.pick(SWEEP_CRASH_POINTS);
  if (random.chance(50)) await crashDuring(world, point, () => runSweeps(at));
  else await runSweeps(at);
  recover(world);
  if (random.chance(50)) {
    const says = await freeze(at.scene);
    await work(at, { rounds: 2 });
    unfreeze(world);
    return says;
  }
  signer.sponsor = signer.sponsor === 'first' ? 'spare' : 'first';
  signer.restart();
  await work(at, { rounds: 2 });
  return `the ${signer.sponsor} sponsor sends sweeps from now on`;
}

/** The customer pays once more while the sweep waits, and after it. */
async function customerPaysAgain(at: Sweeping): Promise<string> {
  const { scene, order } = at;
  const payer = scene.random.pick(CUSTOMERS);
  await runSweeps(at);
  const first = pay(scene, order, payer);
  await work(at, { rounds: 2 });
  const second = pay(scene, order, payer);
  await work(at, { rounds: 2 });
  return `${first}; ${second}`;
}

const TROUBLES: readonly Trouble[] = [
  { name: 'the worker dies', act: workerDies },
  { name: 'fees spike', act: feesSpike },
  { name: 'its block goes', act: blockGoes },
  { name: 'nodes take no delegations', act: noDelegations, isFit: ({ chain }) => chain.spec.family === 'evm' },
  { name: 'the sponsor has no coin', act: noCoin },
  { name: 'operators act', act: operatorsAct },
  { name: 'the customer pays again', act: customerPaysAgain },
];

async function sweepInTrouble(scene: Scene, trouble: Trouble): Promise<string | null> {
  const { world, random, story } = scene;
  const { sweeps } = world.harness.signer.settings;
  const isFit = (means: Means): boolean => isSwept(means) && (trouble.isFit?.(means) ?? true);
  if (sweeps === null || !world.chains.some((chain) => isFit({ chain, currency: '' }))) return null;
  const amount = BigInt(random.int(100, 9000));
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount, isFit });
  if (!order) return NO_ORDER;
  const at = { scene, order };
  world.advance(sweeps.delaySeconds);
  await work(at, { rounds: random.int(0, MOST_ROUNDS_BEFORE[order.means.chain.spec.family]) });
  const troubled = await trouble.act(at);
  const { terms, means } = order;
  const paid = `${story.name('session', terms.id)} over ${cents(terms.dueCents)} is paid with ${means.currency} on ${means.chain.network}`;
  return `${paid}; ${troubled}`;
}

/** A part of a price is final long before its session ends, which sweeps must wait for. The rest may come at the end. */
async function partWaits(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  if (world.harness.signer.settings.sweeps === null) return null;
  const terms = await openOrder(scene, BigInt(random.int(1000, 9000)));
  const [means] = terms ? meansOf(world, terms).filter(isSwept) : [];
  if (!terms || !means) return NO_ORDER;
  const order = { terms, means };
  const first = pay(scene, order, { ...random.pick(CUSTOMERS), amount: terms.dueCents / 2n });
  await work({ scene, order }, { rounds: random.int(3, 5), seconds: 60 });
  const amount = random.pick([0n, (terms.dueCents + 1n) / 2n]);
  const second = amount > 0n ? pay(scene, order, { ...random.pick(CUSTOMERS), amount }) : 'the rest never comes';
  await work({ scene, order }, { rounds: 2 });
  return `${first}; the worker sweeps for some minutes; ${second}`;
}

export const SWEEP_JOURNEYS: readonly Action[] = [
  ...TROUBLES.map((trouble) => ({
    ...{ name: `a sweep, and ${trouble.name}`, weight: 2 },
    act: (scene: Scene) => sweepInTrouble(scene, trouble),
  })),
  { name: 'a part of a price waits, and sweeps go on', weight: 2, act: partWaits },
];
