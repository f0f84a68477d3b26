// Refunds whose recipient is unknown: merchants ask for an address or split a refund, customers enter one by the claim link or
// on the page of their payment, and two people may have the same link.

import { giveClaimAddress, giveSessionAddress, type GivenAddress } from '@/lib/refunds/customer-address/addresses';
import { confirmAddress, renewClaim, requestCustomerAddress } from '@/lib/refunds/customer-address/claim-links';
import { createSplitByStore } from '@/lib/refunds/request/by-store';
import { CUSTOMERS, EXCHANGE, OTHER_WALLETS } from '@/simulation/parties';
import { cents } from '@/simulation/story';
import { name, nextRefundId, pageOf } from '@/simulation/records';
import type { RefundRow } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';
import type { SimulatedStore } from '@/simulation/stores';
import type { Action, Done, Scene } from './action';
import { attempt, outcome, type Attempted } from './attempt';
import { by, call, REFUNDS } from './merchants';

const WAITS = 'destination_needed';

const storeOf = ({ stores }: World, { store_id: id }: { readonly store_id: string }): SimulatedStore | undefined =>
  stores.find(({ storeId }) => storeId === id);

/** A refund that waits for its customer's address, with its store. */
function chooseWaiting({
  world,
  random,
  now,
}: Scene): { readonly refund: RefundRow; readonly store: SimulatedStore } | null {
  const waiting = now.refunds.filter(({ status, hold }) => status === 'processing' && hold === WAITS);
  if (waiting.length === 0) return null;
  const refund = random.pick(waiting);
  const store = storeOf(world, refund);
  return store ? { refund, store } : null;
}

/** What people type: mostly a wallet of their own, sometimes what can or must not be paid. */
function typedAddress({ world, random }: Scene, network: string): { readonly typed: string; readonly says: string } {
  const { family = 'evm' } = world.chains.find((chain) => chain.network === network)?.spec ?? {};
  const [customer, other] = [random.pick(CUSTOMERS), random.pick(OTHER_WALLETS)];
  const wallet = { typed: other.addresses[family], says: `${other.name}’s other wallet` };
  return random.pick([
    ...[wallet, wallet, { typed: customer.addresses[family], says: `${customer.name}’s wallet` }],
    { typed: EXCHANGE[family], says: 'a contract' },
    { typed: random.pick(world.sessions).addresses[family], says: 'a deposit address' },
    { typed: '0x12', says: 'no address' },
  ]);
}

const result = (given: Attempted<GivenAddress>): string => {
  if (!('done' in given)) return given.refused;
  return 'refused' in given.done ? given.done.refused.code : 'taken';
};

/** The link as the merchant's program reads it; null when the refund shows none. */
async function readLink(world: World, store: SimulatedStore, refund: RefundRow): Promise<string | null> {
  const path = `${REFUNDS}/${encodeURIComponent(refund.refund_id)}`;
  const { json } = await call(world, store, { method: 'GET', path });
  const { claim_url: url } = (json.hold ?? {}) as { readonly claim_url?: string };
  return url?.split('/').at(-1) ?? null;
}

/** One or two people use the link. Only one of them may be taken. */
export async function claim(scene: Scene): Promise<string | null> {
  const { world, random, story } = scene;
  const chosen = chooseWaiting(scene);
  const token = chosen && (await readLink(world, chosen.store, chosen.refund));
  if (!chosen || token === null) return null;
  const results: string[] = [];
  let taken = 0;
  for (let people = random.pick([1, 1, 2]); people > 0; people--) {
    const { typed, says } = typedAddress(scene, chosen.refund.network);
    const takesContracts = random.chance(50);
    const given = await attempt(world, () => giveClaimAddress(world.context, token, { typed, takesContracts }));
    results.push(`${says}: ${result(given)}`);
    if (!('done' in given) || 'refused' in given.done) continue;
    name(world.records, chosen.refund.id, given.done.given.address);
    taken++;
  }
  const own = story.name('refund', chosen.refund.id);
  if (taken > 1) throw new Error(`the link of ${own} took two addresses`);
  return `A customer enters an address by the link of ${own} (${results.join('; ')})`;
}

export async function nameOnPage(scene: Scene): Promise<string | null> {
  const { world, random, story, now } = scene;
  const completed = now.sessions.filter(({ status }) => status === 'completed');
  if (completed.length === 0) return null;
  const { id, completed_network: network } = random.pick(completed);
  if (network === null) return null;
  const { typed, says } = typedAddress(scene, network);
  const given = await attempt(world, () => giveSessionAddress(world.context, id, network, typed));
  if ('done' in given && 'given' in given.done) name(world.records, pageOf(id, network), given.done.given.address);
  return `A customer names ${says} on the page of ${story.name('session', id)}: ${result(given)}`;
}

async function renew(scene: Scene): Promise<Done | null> {
  const { world, story } = scene;
  const chosen = chooseWaiting(scene);
  if (!chosen) return null;
  const { refund, store } = chosen;
  const former = await readLink(world, store, refund);
  const renewed = await attempt(world, () =>
    renewClaim(world.context, { storeId: store.storeId, refundId: refund.id }),
  );
  const own = story.name('refund', refund.id);
  if ('done' in renewed && former !== null) {
    const { typed } = typedAddress(scene, refund.network);
    const given = await attempt(world, () => giveClaimAddress(world.context, former, { typed, takesContracts: true }));
    if (result(given) === 'taken') throw new Error(`the former link of ${own} still takes an address`);
  }
  return by(store, `renews the link of ${own}: ${outcome(renewed)}`);
}

export async function askForAddress({ world, random, story, now }: Scene): Promise<Done | null> {
  const open = now.refunds.filter(({ status }) => status === 'pending' || status === 'processing');
  if (open.length === 0) return null;
  const refund = random.pick(open);
  const store = storeOf(world, refund);
  if (!store) return null;
  const of = { storeId: store.storeId, refundId: refund.id };
  const own = story.name('refund', refund.id);
  if (refund.hold === 'address_unconfirmed')
    return by(
      store,
      `confirms the address of ${own}: ${outcome(await attempt(world, () => confirmAddress(world.context, of)))}`,
    );
  const asked = await attempt(world, () => requestCustomerAddress(world.context, of));
  world.records.addressWanted.add(refund.id);
  return by(store, `asks the customer of ${own} for an address: ${outcome(asked)}`);
}

/** One refund for each of those who paid. */
async function split({ world, random, story, now }: Scene): Promise<Done | null> {
  const completed = now.sessions.filter(({ status }) => status === 'completed');
  if (completed.length === 0) return null;
  const row = random.pick(completed);
  const session = world.sessions.find(({ id }) => id === row.id);
  if (!session) return null;
  const { store } = session;
  const left = session.dueCents - BigInt(row.amount_refunded);
  const amount = random.pick([left, left, left / 2n, left + 1n]);
  if (amount <= 0n) return null;
  const refundId = `split-${nextRefundId(world.records, store)}`;
  const currency = row.completed_currency ?? 'USDT';
  const request = { session_id: session.id, refund_id: refundId, amount: Number(amount), currency };
  const side = { storeId: store.storeId, environment: 'test' as const, record: () => Promise.resolve() };
  const made = await attempt(world, () => createSplitByStore(world.context, side, request));
  for (const part of 'done' in made ? made.done : [])
    world.refunds.push({ refundId: part.refundId, store, session, cents: part.amount });
  const says = 'done' in made ? `${made.done.length} refunds` : made.refused;
  return by(store, `splits a refund of ${cents(amount)} of ${story.name('session', session.id)}: ${says}`);
}

export const CLAIM_ACTIONS: readonly Action[] = [
  { name: 'name an address by a claim link', weight: 12, act: claim },
  { name: 'name an address on a page', weight: 3, act: nameOnPage },
  { name: 'renew a claim link', weight: 2, act: renew },
  { name: 'ask for a customer’s address', weight: 3, act: askForAddress },
  { name: 'split a refund', weight: 4, act: split },
];
