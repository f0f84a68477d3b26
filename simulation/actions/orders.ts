// Orders whose terms a journey knows: a session of a certain price, its payment by a certain person, and refunds of it.

import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import type { Addresses } from '@/simulation/parties';
import { nextRefundId } from '@/simulation/records';
import { readSnapshot, type RefundRow } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import type { SimulatedStore, Terms } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Scene } from './action';
import { send, type Given } from './customers';
import { call, findSession, newOrder, REFUNDS, said, SESSIONS } from './merchants';
import { runSome } from './product';
import { mineAll } from './time';

/** Enough for every chain to make a block final. */
const BLOCKS = 6;
/** Seconds to pay: longer than any journey needs. */
const LIFE = 900;

/** A service that has not read a network for long offers no session. */
const CATCH_UP = /^watch |address pool/;

/** A token on a network. */
export type Means = { readonly chain: SimulatedChain; readonly currency: string };
export type Payer = { readonly name: string; readonly addresses: Addresses };
export type Order = { readonly terms: Terms; readonly means: Means };
export type Pace = { readonly rounds: number; readonly seconds?: number; readonly blocks?: number };

/** Rounds with blocks, in which the worker runs the steps of this name. */
export async function goOn(
  { world }: Pick<Scene, 'world'>,
  wanted: RegExp,
  { rounds, seconds = 20, blocks = BLOCKS }: Pace,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    world.advance(seconds);
    mineAll(world, () => blocks);
    await runSome(world, wanted);
  }
}

/** The steps that read and pay on one network. */
export const stepsOn = ({ chain }: Means, which = 'watch|refunds'): RegExp =>
  new RegExp(`^(${which}) .*${chain.network}$`);

/** What may pay a session. */
export const meansOf = ({ chains }: World, { networks, tokens }: Terms): Means[] =>
  chains
    .filter(({ network }) => networks.includes(network))
    .flatMap((chain) =>
      tokens.filter((one) => chain.spec.tokens[one] !== undefined).map((currency) => ({ chain, currency })),
    );

/** A session over an amount, after the worker has read every network; null when the request was refused. */
export async function openOrder(scene: Scene, amount: bigint, store?: SimulatedStore): Promise<Terms | null> {
  await runSome(scene.world, CATCH_UP);
  const drawn = newOrder(scene);
  const body = { ...drawn.body, amount: Number(amount), expires_in: LIFE };
  const order = { store: store ?? drawn.store, body };
  await call(scene.world, order.store, { path: `${SESSIONS}/create`, body });
  return findSession(scene.world, order);
}

/** Somebody pays an amount to a session. */
export function pay(
  scene: Scene,
  { terms, means: { chain, currency } }: Order,
  { name, addresses, amount = terms.dueCents, by }: Payer & { readonly amount?: bigint; readonly by?: Given['by'] },
): string {
  const given = { payer: addresses, name, ...(by ? { by } : {}) };
  return send(scene, { terms, chain, currency, amount: amount * centOf(chain, currency) }, given);
}

/** A session that one person has paid, and that the worker has credited. Null when there was none to pay. */
export async function openPaidOrder(
  scene: Scene,
  payer: Payer,
  {
    amount,
    store,
    isFit,
  }: { readonly amount: bigint; readonly store?: SimulatedStore; readonly isFit?: (means: Means) => boolean },
): Promise<Order | null> {
  const terms = await openOrder(scene, amount, store);
  const fit = terms ? meansOf(scene.world, terms).filter((means) => isFit?.(means) ?? true) : [];
  if (!terms || fit.length === 0) return null;
  const order = { terms, means: scene.random.pick(fit) };
  pay(scene, order, payer);
  await goOn(scene, stepsOn(order.means, 'watch'), { rounds: 2 });
  return order;
}

/** Nothing further happens to a session that was refused or cannot be paid as the journey needs. */
export const NO_ORDER = 'An order is refused, or cannot be paid as it should';

export type Asked = { readonly says: string; readonly refundId: string };

/** The merchant's program asks for a refund of a session. */
export async function askForRefund(
  { world, story }: Pick<Scene, 'world' | 'story'>,
  { terms, means }: Order,
  amount = terms.dueCents,
): Promise<Asked> {
  const { store } = terms;
  const refundId = nextRefundId(world.records, store);
  const body = { session_id: terms.id, refund_id: refundId, amount: Number(amount), currency: means.currency };
  const reply = await call(world, store, { path: `${REFUNDS}/create`, body });
  world.refunds.push({ refundId, store, session: terms, cents: amount });
  const says = `${store.name} refunds ${cents(amount)} of ${story.name('session', terms.id)}: ${said(reply)}`;
  return { says, refundId };
}

/** The refunds of a session as they are now. */
export async function refundsOf({ harness }: World, { id }: Terms): Promise<readonly RefundRow[]> {
  const { refunds } = await readSnapshot(harness.database.pool);
  return refunds.filter(({ session_id: session }) => session === id);
}

export async function cancel({ world }: Pick<Scene, 'world'>, { store }: Terms, refundId: string): Promise<string> {
  const reply = await call(world, store, { path: `${REFUNDS}/${encodeURIComponent(refundId)}/cancel` });
  return `${store.name} cancels the refund: ${said(reply)}`;
}
