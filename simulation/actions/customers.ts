// What customers do: they pay sessions in every right and wrong way. A payment waits until the chain's next block.

import type { SimulatedChain } from '@/simulation/chain/chain';
import { CUSTOMERS, EXCHANGE, RELAYER, type Addresses } from '@/simulation/parties';
import type { SentPayment } from '@/simulation/records';
import { depositAddress, type Terms } from '@/simulation/stores';
import { centOf, currencyOf } from '@/simulation/chain/units';
import { cents } from '@/simulation/story';
import type { Action, Scene } from './action';

export type PaymentOrder = {
  readonly terms: Terms;
  readonly chain: SimulatedChain;
  readonly currency: string;
  readonly amount: bigint;
};

/** A session to pay: usually a pending one. */
function chooseSession({ world, random, now }: Scene): Terms | null {
  const pending = new Set(now.sessions.filter(({ status }) => status === 'pending').map(({ id }) => id));
  const open = world.sessions.filter(({ id }) => pending.has(id));
  const list = open.length > 0 && random.chance(85) ? open : world.sessions;
  return list.length > 0 ? random.pick(list) : null;
}

/** Base units on the way or arrived, in cents, from every token and network. */
function paidCents({ world }: Pick<Scene, 'world'>, terms: Terms): bigint {
  return world.chains
    .flatMap((chain) =>
      chain
        .transfers(chain.height())
        .filter(({ recipient }) => recipient === depositAddress(terms, chain))
        .map(({ token, amount }) => amount / centOf(chain, currencyOf(chain, token))),
    )
    .reduce((sum, one) => sum + one, 0n);
}

/** An order over this many cents on one of the session's own networks and tokens. */
function orderOf({ world, random }: Scene, terms: Terms, amountCents: bigint): PaymentOrder {
  const network = random.pick(terms.networks);
  const chain = world.chains.find((one) => one.network === network) as SimulatedChain;
  const currency = random.pick(terms.tokens);
  return { terms, chain, currency, amount: amountCents * centOf(chain, currency) };
}

export type Given = {
  readonly payer?: Addresses;
  readonly by?: Addresses;
  readonly name?: string;
  readonly fails?: boolean;
};

/** Sends it and says so. */
export function send(scene: Scene, { terms, chain, currency, amount }: PaymentOrder, given: Given = {}): string {
  const { family } = chain.spec;
  const customer = scene.random.pick(CUSTOMERS);
  const { payer = customer.addresses, name = customer.name, by, fails } = given;
  const token = chain.spec.tokens[currency]!.contract;
  const hash = chain.pay({
    ...{ token, payer: payer[family], recipient: depositAddress(terms, chain), amount },
    ...(by === undefined ? {} : { by: by[family] }),
    ...(fails ? { fails } : {}),
  });
  if (by !== undefined) scene.world.records.relayed.add(hash);
  scene.world.records.sent.push({ network: chain.network, hash, payer, terms });
  const [whole, rest] = [amount / centOf(chain, currency), amount % centOf(chain, currency)];
  const much = rest === 0n ? cents(whole) : `${amount} base units of`;
  const session = scene.story.name('session', terms.id);
  return `${name} sends ${much} ${currency} on ${chain.network} to ${session} (${scene.story.name('payment', hash)})`;
}

const paying = (name: string, weight: number, pay: (scene: Scene, terms: Terms) => string | null): Action => ({
  name,
  weight,
  act: (scene) => {
    const terms = chooseSession(scene);
    return terms && pay(scene, terms);
  },
});

const missing = (scene: Scene, terms: Terms): bigint => {
  const left = terms.dueCents - paidCents(scene, terms);
  return left > 0n ? left : 0n;
};

/** Several people pay parts that together are the price or more, with dust among them. */
function payTogether(scene: Scene, terms: Terms): string {
  const people = scene.random.int(3, 5);
  const part = (terms.dueCents + BigInt(people) - 1n) / BigInt(people);
  const orders = Array.from({ length: people }, () => orderOf(scene, terms, part));
  const dust = { ...orderOf(scene, terms, 1n), amount: BigInt(scene.random.int(1, 9999)) };
  const all = scene.random.pick([orders, [dust, ...orders], [...orders, dust], [dust, ...orders, dust]]);
  return all.map((order) => send(scene, order)).join('; ');
}

/** A payment to a session that closed. */
function payClosed(scene: Scene): string | null {
  const { world, random, now } = scene;
  const closed = new Set(now.sessions.filter(({ status }) => status !== 'pending').map(({ id }) => id));
  const list = world.sessions.filter(({ id }) => closed.has(id));
  if (list.length === 0) return null;
  const terms = random.pick(list);
  return send(scene, orderOf(scene, terms, terms.dueCents));
}

/** A payment that waits for its block is replaced by another one of the same payer, with a higher fee. */
function replaceWaiting(scene: Scene): string | null {
  const { world, random, story } = scene;
  const isWithdrawn = ({ network, hash }: SentPayment): boolean =>
    world.chains.find((chain) => chain.network === network)?.withdraw?.(hash) ?? false;
  // The newest ones may still wait.
  const former = world.records.sent.slice(-6).toReversed().find(isWithdrawn);
  if (!former) return null;
  const { terms, payer, hash } = former;
  const instead = random.pick([terms.dueCents, terms.dueCents + 100n, 1n, 0n]);
  const says = `${story.name('payment', hash)} is replaced`;
  if (instead === 0n) return `${says} by nothing`;
  const { name } = CUSTOMERS.find(({ addresses }) => addresses === payer) ?? { name: 'Somebody' };
  return `${says}: ${send(scene, orderOf(scene, terms, instead), { payer, name })}`;
}

export const CUSTOMER_ACTIONS: readonly Action[] = [
  paying('several people pay, and dust', 5, payTogether),
  { name: 'pay a closed session', weight: 4, act: payClosed },
  { name: 'replace a waiting payment', weight: 5, act: replaceWaiting },
  paying('pay exactly', 30, (scene, terms) => send(scene, orderOf(scene, terms, terms.dueCents))),
  paying('pay a part', 14, (scene, terms) => {
    const part = (terms.dueCents * BigInt(scene.random.int(5, 95))) / 100n;
    return part > 0n ? send(scene, orderOf(scene, terms, part)) : null;
  }),
  paying('pay the rest', 14, (scene, terms) => {
    const left = missing(scene, terms);
    return left > 0n ? send(scene, orderOf(scene, terms, left)) : null;
  }),
  paying('pay a cent too little', 5, (scene, terms) => {
    const left = missing(scene, terms) - 1n;
    return left > 0n ? send(scene, orderOf(scene, terms, left)) : null;
  }),
  paying('pay a base unit too little', 4, (scene, terms) => {
    const order = orderOf(scene, terms, missing(scene, terms));
    return order.amount > 1n ? send(scene, { ...order, amount: order.amount - 1n }) : null;
  }),
  paying('pay too much', 7, (scene, terms) => {
    return send(scene, orderOf(scene, terms, terms.dueCents + BigInt(scene.random.int(1, 2000))));
  }),
  paying('pay twice', 5, (scene, terms) => {
    const order = orderOf(scene, terms, terms.dueCents);
    const payer = scene.random.pick(CUSTOMERS);
    const one = send(scene, order, { payer: payer.addresses, name: payer.name });
    return `${one}; ${send(scene, order, { payer: payer.addresses, name: payer.name })}`;
  }),
  paying('two people pay halves', 6, (scene, terms) => {
    const half = (terms.dueCents + 1n) / 2n;
    const [one, other] = [send(scene, orderOf(scene, terms, half)), send(scene, orderOf(scene, terms, half))];
    return `${one}; ${other}`;
  }),
  paying('pay in the other token', 5, (scene, terms) => {
    const order = orderOf(scene, terms, terms.dueCents);
    const currency = scene.random.pick(Object.keys(order.chain.spec.tokens));
    return send(scene, { ...order, currency, amount: terms.dueCents * centOf(order.chain, currency) });
  }),
  paying('pay on another network', 5, (scene, terms) => {
    const order = orderOf(scene, terms, terms.dueCents);
    const chain = scene.random.pick(scene.world.chains);
    return send(scene, { ...order, chain, amount: terms.dueCents * centOf(chain, order.currency) });
  }),
  paying('send dust', 4, (scene, terms) => {
    const order = orderOf(scene, terms, 1n);
    return send(scene, { ...order, amount: BigInt(scene.random.int(1, 9999)) });
  }),
  paying('pay from an exchange', 5, (scene, terms) =>
    send(scene, orderOf(scene, terms, terms.dueCents), { payer: EXCHANGE, name: 'An exchange' }),
  ),
  paying('pay through a relayer', 3, (scene, terms) =>
    send(scene, orderOf(scene, terms, terms.dueCents), { by: RELAYER }),
  ),
  paying('a payment fails', 3, (scene, terms) => {
    return `${send(scene, orderOf(scene, terms, terms.dueCents), { fails: true })}, which will fail`;
  }),
];
