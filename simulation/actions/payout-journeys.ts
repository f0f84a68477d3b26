// Payouts in one step, from the paid order to the owner's wallet: with a trouble on the way, canceled, to an address that is stopped or
// that waits, beside a refund of the same money, and across a restored database.

import { backUp, restore } from '@/simulation/faults/restore-faults';
import { CUSTOMERS } from '@/simulation/parties';
import { addressesInUse, type RequestedPayout } from '@/simulation/payouts/records';
import { readSnapshot } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import { centOf } from '@/simulation/chain/units';
import type { SimulatedStore } from '@/simulation/stores';
import { words, type Action, type Done, type Scene } from './action';
import { askForRefund, goOn, NO_ORDER, openPaidOrder, stepsOn, type Means, type Order } from './orders';
import { costsNow } from '@/simulation/payouts/costs';
import { addAddress, cancel, payableNow, repeat, request, stopAddress } from './paying-out';
import { walletsOf } from './payouts';
import { runSome } from './product';
import { takeUp } from './refunding';
import { PAYMENT_TROUBLES } from './troubles';

const ANNOUNCE = /^announce payout addresses/;
const PAY = 'refunds';

type Ready = { readonly order: Order; readonly store: SimulatedStore; readonly says: string };
type Paid = Ready & { readonly payout: RequestedPayout };

/** Adds one of the owner's wallets, which the worker announces. */
async function addWallet({ world }: Scene, store: SimulatedStore, { chain }: Means, which: 0 | 1): Promise<string> {
  const typed = walletsOf(world, store)[which][chain.spec.family];
  const added = await addAddress(world, { store, chain, typed, isLookAlikeConfirmed: true });
  await runSome(world, ANNOUNCE);
  return `${store.name} adds its wallet ${which + 1} on ${chain.network}: ${added}`;
}

const waitForAddress = ({ world }: Scene): void =>
  world.advance(world.context.config.PAYOUT_ADDRESS_DELAY_SECONDS_TEST + 1);

/** A paid order of a store that has a payout address on its network. Null when no order was paid. */
async function ready(scene: Scene, isFit?: (means: Means) => boolean): Promise<Ready | null> {
  const { world, random, story } = scene;
  const store = random.pick(world.stores);
  const drawn = BigInt(random.pick([random.int(100, 900), random.int(1000, 5000), random.int(5000, 40_000)]));
  const amount = store.dayLimit !== null && store.dayLimit < drawn ? store.dayLimit / 8n : drawn;
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount, store, ...(isFit ? { isFit } : {}) });
  if (!order) return null;
  const { terms, means } = order;
  const told = [`${story.name('session', terms.id)} over ${cents(amount)} is paid on ${means.chain.network}`];
  const at = { storeId: store.storeId, network: means.chain.network };
  if (addressesInUse(world.records.payouts, at).length === 0) {
    told.push(await addWallet(scene, store, means, 0));
    if (random.chance(80)) waitForAddress(scene);
  }
  return { order, store, says: told.join('; ') };
}

/** What the owner's page offers of the order's token, in cents: the balance without what the payout costs. */
async function shown({ world }: Scene, { order, store }: Ready): Promise<bigint> {
  const { chain, currency } = order.means;
  const { least } = await payableNow(world, { storeId: store.storeId, network: chain.network, currency });
  const all = least > 0n ? least / centOf(chain, currency) : 0n;
  const costs = await costsNow(world, { storeId: store.storeId, network: chain.network, amount: all });
  return costs < all ? all - costs : 0n;
}

/** The owner requests what the store has in the order's token, or a part of it. `page`: what a page shows that was opened before. */
async function requestAll(scene: Scene, at: Ready, page?: bigint): Promise<Awaited<ReturnType<typeof request>>> {
  const { order, store } = at;
  const { chain, currency } = order.means;
  const all = page ?? (await shown(scene, at));
  return request(scene, { store, chain, currency, amount: scene.random.pick([all, all, all, all / 2n + 1n]) });
}

/** The store of a paid order has a payout address on its network from now on. Returns what was done for it. */
export async function giveAddress(scene: Scene, { terms: { store }, means }: Order): Promise<readonly string[]> {
  const at = { storeId: store.storeId, network: means.chain.network };
  if (addressesInUse(scene.world.records.payouts, at).length > 0) return [];
  const says = await addWallet(scene, store, means, 0);
  waitForAddress(scene);
  return [says];
}

/** The owner of a paid order requests what its store can take in the order's token. `page`: cents that a page shows, right or wrong. */
export async function requestOfOrder(scene: Scene, order: Order, page?: bigint): Promise<string> {
  const told = await giveAddress(scene, order);
  const { says } = await requestAll(scene, { order, store: order.terms.store, says: '' }, page);
  return [...told, says].join('; ');
}

async function requested(scene: Scene, isFit?: (means: Means) => boolean): Promise<Paid | string> {
  const at = await ready(scene, isFit);
  if (!at) return NO_ORDER;
  const { says, payout } = await requestAll(scene, at);
  const told = `${at.says}; ${says}`;
  return payout ? { ...at, payout, says: told } : told;
}

const payOut = (scene: Scene, { means }: Order, rounds = 2): Promise<void> =>
  goOn(scene, stepsOn(means, PAY), { rounds, blocks: scene.random.pick([0, 1, 6]) });

async function inTrouble(scene: Scene): Promise<string> {
  const trouble = scene.random.pick(PAYMENT_TROUBLES);
  const at = await requested(scene, (means) => trouble.isFit?.(means, scene) ?? true);
  if (typeof at === 'string') return at;
  return `${at.says}; ${await trouble.act({ scene, order: at.order, refundId: at.payout.payoutId })}`;
}

/** Canceled before or after its signature was requested. The owner then requests what is there again. */
async function canceled(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const at = await requested(scene);
  if (typeof at === 'string') return at;
  const { signer } = world.harness;
  signer.isDown = random.chance(50);
  if (random.chance(60)) await runSome(world, stepsOn(at.order.means, PAY));
  const said = await cancel(world, at.payout);
  signer.isDown = false;
  const again = random.chance(60) ? (await requestAll(scene, at)).says : 'nothing is requested again';
  await payOut(scene, at.order);
  return `${at.says}; it is canceled: ${said}; ${again}`;
}

/** An address is stopped before the worker takes the payout up, while the signer is away, or when it has signed. */
async function addressStops(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const at = await requested(scene);
  if (typeof at === 'string') return at;
  const { signer } = world.harness;
  signer.isDown = random.chance(60);
  if (random.chance(70)) await runSome(world, stepsOn(at.order.means, PAY));
  const told = [at.says];
  for (const one of addressesInUse(world.records.payouts, at.payout))
    told.push(`an address is stopped: ${await stopAddress(world, one)}`);
  signer.isDown = false;
  world.advance(60);
  await payOut(scene, at.order, 1);
  if (random.chance(70)) {
    told.push(await addWallet(scene, at.store, at.order.means, 1));
    if (random.chance(70)) waitForAddress(scene);
    await payOut(scene, at.order);
  }
  return told.join('; ');
}

/** The store gets another address. Until its delay is over, payouts go to the former one. */
async function addressWaits(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const told = [at.says, await addWallet(scene, at.store, at.order.means, 1)];
  if (random.chance(30)) waitForAddress(scene);
  told.push((await requestAll(scene, at)).says);
  await runSome(world, stepsOn(at.order.means, PAY));
  waitForAddress(scene);
  await payOut(scene, at.order);
  return told.join('; ');
}

/** The owner and the merchant's program want the same money. */
async function besideRefund(scene: Scene): Promise<string> {
  const { random } = scene;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const { order } = at;
  const part = random.pick([order.terms.dueCents, order.terms.dueCents, order.terms.dueCents / 2n + 1n]);
  const refund = async (): Promise<string> => (await askForRefund(scene, order, part)).says;
  const page = await shown(scene, at);
  const payout = async (): Promise<string> => (await requestAll(scene, at, page)).says;
  const told = [at.says];
  for (const act of random.pick([
    [refund, payout],
    [payout, refund],
    [payout, refund, payout],
  ]))
    told.push(await act());
  await takeUp({ scene, order });
  await payOut(scene, order, random.int(1, 3));
  return told.join('; ');
}

/** A payout that the restored database has forgotten, and that the owner may request again under its name. */
async function acrossRestore(scene: Scene): Promise<Done | null> {
  const { world, random } = scene;
  if (world.harness.pool.server() !== 'well') return null;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const told = [at.says, await backUp(scene)];
  const { says, payout } = await requestAll(scene, at);
  told.push(says);
  if (!payout) return told.join('; ');
  const sendAgain = async (): Promise<string> => `it is requested again: ${await repeat(world, payout)}`;
  const isFailover = random.chance(50);
  if (!isFailover || random.chance(70)) await payOut(scene, at.order, random.int(1, 3));
  const now = await readSnapshot(world.harness.database.pool);
  const atOnce = async (): Promise<string> => {
    const repeated = await sendAgain();
    await goOn(scene, stepsOn(at.order.means, PAY), { rounds: 3, seconds: 5 });
    return repeated;
  };
  told.push(words(await restore({ ...scene, now }, isFailover ? { keepsProcesses: true, atOnce } : {})));
  if (!isFailover && random.chance(70)) told.push(await sendAgain());
  await payOut(scene, at.order);
  return { says: told.join('; '), isRestored: true };
}

const WAYS: readonly Action[] = [
  { name: 'a payout in trouble', weight: 14, act: inTrouble },
  { name: 'a payout is canceled', weight: 8, act: canceled },
  { name: 'the address of a payout is stopped', weight: 10, act: addressStops },
  { name: 'a new payout address waits', weight: 8, act: addressWaits },
  { name: 'a payout and a refund want the same money', weight: 10, act: besideRefund },
];

export const PAYOUT_JOURNEYS: readonly Action[] = [
  ...WAYS,
  { name: 'a restored database has forgotten a payout', weight: 8, act: acrossRestore },
];

/** One of them, in every history: whatever else happens there, stores are paid out. */
export const ANY_PAYOUT: Action = {
  name: 'a payout goes its way',
  weight: 20,
  act: (scene) => scene.random.weighted(WAYS).act(scene),
};
