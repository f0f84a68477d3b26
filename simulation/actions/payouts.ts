// What owners do about payouts at any moment: they add and stop addresses, request payouts of a part, of all and of too much, repeat a
// request, and cancel. Journeys of one payout are in payout-journeys.ts.

import { lookAlikeOf, OWNERS_WALLETS, type Addresses } from '@/simulation/parties';
import { isInUse } from '@/simulation/payouts/records';
import { isScheduled } from '@/simulation/payouts/schedules';
import type { SimulatedStore } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Action, Done, Scene } from './action';
import { by } from './merchants';
import { addAddress, balancesOf, cancel, repeat, request, stopAddress } from './paying-out';
import { centOf } from '@/simulation/chain/units';

/** The two wallets of the owner of a store. */
export function walletsOf({ stores }: World, store: SimulatedStore): readonly [Addresses, Addresses] {
  const place = 2 * stores.indexOf(store);
  return [OWNERS_WALLETS[place]!, OWNERS_WALLETS[place + 1]!];
}

/** An own wallet, one that looks like it or like another store's, another store's, or what must be refused. */
async function add({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const chain = random.pick(world.chains);
  const { family } = chain.spec;
  const [first, second] = walletsOf(world, store);
  const [others] = walletsOf(world, random.pick(world.stores));
  const isEvm = family === 'evm';
  const { typed, says } = random.pick([
    { typed: first[family], says: 'its first wallet' },
    { typed: first[family], says: 'its first wallet' },
    { typed: second[family], says: 'its second wallet' },
    { typed: others[family], says: 'a wallet that another store may have' },
    isEvm
      ? { typed: lookAlikeOf(others), says: 'an address like another one' }
      : { typed: second[family], says: 'its second wallet' },
    world.sessions.length > 0
      ? { typed: random.pick(world.sessions).addresses[family], says: 'a deposit address' }
      : { typed: '0x12', says: 'no address' },
  ]);
  const added = await addAddress(world, { store, chain, typed, isLookAlikeConfirmed: random.chance(50) });
  if (added === 'added' && says === 'a deposit address')
    throw new Error(`${store.name} is paid out at a deposit address`);
  return by(store, `adds ${says} on ${chain.network} as a payout address: ${added}`);
}

async function stop({ world, random }: Scene): Promise<Done | null> {
  const inUse = world.records.payouts.addresses.filter(isInUse);
  if (inUse.length === 0) return null;
  const address = random.pick(inUse);
  const store = world.stores.find(({ storeId }) => storeId === address.storeId);
  if (!store) return null;
  return by(store, `stops a payout address on ${address.network}: ${await stopAddress(world, address)}`);
}

async function requestSome(scene: Scene): Promise<Done | null> {
  const { world, random } = scene;
  const store = random.pick(world.stores);
  const balances = await balancesOf(world, store);
  if (balances.length === 0) return null;
  const { chain, currency, units } = random.pick(balances);
  const all = units / centOf(chain, currency);
  const amount = random.pick([all, all, all / 2n + 1n, 100n, all + 1n, all / 3n]);
  if (amount <= 0n) return null;
  return by(store, (await request(scene, { store, chain, currency, amount })).says.slice(store.name.length + 1));
}

async function repeatOne({ world, random, story }: Scene): Promise<Done | null> {
  // A schedule names its payouts itself.
  const requested = world.records.payouts.requested.filter(({ payoutId }) => !isScheduled(payoutId));
  if (requested.length === 0) return null;
  const payout = random.pick(requested);
  const store = world.stores.find(({ storeId }) => storeId === payout.storeId)!;
  // A restored database may not know the payout, and the name would then belong to another amount.
  const isChanged = !world.isRestored && random.chance(40);
  const said = await repeat(world, payout, isChanged ? { cents: payout.cents + 1n } : {});
  const text = isChanged ? 'over another amount' : 'again';
  return by(store, `requests ${story.name('payout', payout.id)} ${text}: ${said}`);
}

async function cancelOne({ world, random, story, now }: Scene): Promise<Done | null> {
  const open = new Set(
    now.payouts.filter(({ status }) => status === 'pending' || status === 'processing').map(({ id }) => id),
  );
  const requested = world.records.payouts.requested.filter(({ id }) => open.has(id));
  if (requested.length === 0) return null;
  const payout = random.pick(requested);
  const owner = world.stores.find(({ storeId }) => storeId === payout.storeId)!;
  const store = random.pick([owner, owner, random.pick(world.stores)]);
  return by(store, `cancels ${story.name('payout', payout.id)}: ${await cancel(world, payout, store.storeId)}`);
}

export const PAYOUT_ACTIONS: readonly Action[] = [
  { name: 'add a payout address', weight: 10, act: add },
  { name: 'stop a payout address', weight: 4, act: stop },
  { name: 'request a payout', weight: 16, act: requestSome },
  { name: 'repeat a payout request', weight: 4, act: repeatOne },
  { name: 'cancel a payout', weight: 5, act: cancelOne },
];
