// Payments that wallets seldom make: several transfers in one transaction, and money for an address that no session has yet.

import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import { CUSTOMERS } from '@/simulation/parties';
import { cents } from '@/simulation/story';
import { depositAddress, type Terms } from '@/simulation/stores';
import type { Action, Scene } from './action';
import { createSession } from './merchants';
import { runSome } from './product';
import { mineAll } from './time';

/** Enough for every chain to make a block final. */
const BLOCKS = 6;

type Drawn = { readonly chain: SimulatedChain; readonly token: string; readonly currency: string };

/** A network whose transactions can move several amounts, with one of its tokens. */
function drawChain({ world, random }: Scene, among: readonly string[]): Drawn | null {
  const chains = world.chains.filter(({ spec, network }) => spec.family !== 'solana' && among.includes(network));
  if (chains.length === 0) return null;
  const chain = random.pick(chains);
  const currency = random.pick(Object.keys(chain.spec.tokens));
  return { chain, currency, token: chain.spec.tokens[currency]!.contract };
}

/** The session's price, moved to the first session and then in these parts. */
function sendMany(
  scene: Scene,
  terms: Terms,
  parts: (at: { readonly address: string; readonly payer: string; readonly amount: bigint }) => readonly {
    readonly payer: string;
    readonly recipient: string;
    readonly amount: bigint;
  }[],
): { readonly says: string; readonly name: string } | null {
  const drawn = drawChain(scene, terms.networks);
  if (!drawn) return null;
  const { chain, token, currency } = drawn;
  const customer = scene.random.pick(CUSTOMERS);
  const [payer, address] = [customer.addresses[chain.spec.family], depositAddress(terms, chain)];
  const amount = terms.dueCents * centOf(chain, currency);
  const more = parts({ address, payer, amount }).map((one) => ({ token, ...one }));
  const hash = chain.pay({ token, payer, recipient: address, amount, more });
  const name = scene.story.name('payment', hash);
  const says = `${customer.name} sends ${cents(terms.dueCents)} ${currency} on ${chain.network} to ${scene.story.name('session', terms.id)}`;
  return { says: `${says} (${name})`, name };
}

const anySession = ({ world, random }: Scene): Terms | null =>
  world.sessions.length > 0 ? random.pick(world.sessions.slice(-6)) : null;

const odd = (
  name: string,
  weight: number,
  what: string,
  parts: (scene: Scene, terms: Terms) => Parameters<typeof sendMany>[2],
): Action => ({
  name,
  weight,
  act: (scene) => {
    const terms = anySession(scene);
    const sent = terms && sendMany(scene, terms, parts(scene, terms));
    return sent && `${sent.says}, ${what}`;
  },
});

/** Somebody knows the next address of the pool, as everybody does who saw an address of a database that was restored. */
async function payBeforeSession(scene: Scene): Promise<string | null> {
  const { world, random, story } = scene;
  const { rows } = await world.harness.database.pool.query<{ evm: string; tron: string; solana: string }>(
    'SELECT evm_address AS evm, tron_address AS tron, solana_address AS solana FROM address_pool ORDER BY address_index LIMIT 1',
  );
  const [next] = rows;
  if (!next) return null;
  const chain = random.pick(world.chains);
  const { family } = chain.spec;
  const currency = random.pick(Object.keys(chain.spec.tokens));
  const amount = BigInt(random.int(100, 5000)) * centOf(chain, currency);
  const payer = random.pick(CUSTOMERS);
  const token = chain.spec.tokens[currency]!.contract;
  const hash = chain.pay({ token, payer: payer.addresses[family], recipient: next[family], amount });
  for (let round = 0; round < random.int(1, 4); round++) {
    world.advance(60);
    mineAll(world, () => BLOCKS);
    await runSome(world, /^watch /);
  }
  const created = await createSession(scene);
  const says = typeof created === 'string' ? created : created.says;
  return `${payer.name} pays the next address on ${chain.network} (${story.name('payment', hash)}); ${says}`;
}

/** They pay sessions that exist. */
export const ODD_TRANSFERS: readonly Action[] = [
  odd('one transaction pays twice', 3, 'in two transfers of one transaction', () => ({ address, payer, amount }) => [
    { payer, recipient: address, amount: amount / 2n + 1n },
  ]),
  odd(
    'a payment that comes back',
    3,
    'and takes it back in the same transaction',
    () =>
      ({ address, payer, amount }) => [{ payer: address, recipient: payer, amount }],
  ),
  odd('a payment that comes back in part', 2, 'and takes a part back in the same transaction', () => (at) => [
    { payer: at.address, recipient: at.payer, amount: at.amount / 3n },
  ]),
  odd('one transaction pays two sessions', 5, 'and another session with the same transaction', (scene, terms) => {
    const others = scene.world.sessions.filter((one) => one !== terms);
    const { addresses } = others.length > 0 ? scene.random.pick(others) : terms;
    return ({ payer, amount }) => [{ payer, recipient: addresses[payer.startsWith('0x') ? 'evm' : 'tron'], amount }];
  }),
];

export const ODD_PAYMENTS: readonly Action[] = [
  ...ODD_TRANSFERS,
  { name: 'a payment before its session', weight: 4, act: payBeforeSession },
];
