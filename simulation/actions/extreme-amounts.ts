// Amounts at the limits of every number that they pass through: those of programs, columns, tokens and formats. Anyone can mint
// them in a token of their own, as on a local chain, and no amount of one customer may stop the payments of the others.

import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import { drawAtLimit } from '@/simulation/limits';
import { CUSTOMERS } from '@/simulation/parties';
import { depositAddress, type Terms } from '@/simulation/stores';
import type { Action, Scene } from './action';
import { begin, runAlong } from './journeys';
import { createRefund, decideException } from './merchants';
import { meansOf, openOrder, pay, type Means } from './orders';

const isOfSolana = ({ spec }: SimulatedChain): boolean => spec.family === 'solana';
/** What a chain can hold of one token, less what ordinary customers bring along. */
const mostOf = (chain: SimulatedChain): bigint => (isOfSolana(chain) ? 2n ** 64n - 2n ** 50n : 2n ** 256n - 2n ** 128n);

/** Null when all that the chain can hold of the token was paid before. */
function drawExtreme({ world: { records }, random }: Scene, { chain, currency }: Means): bigint | null {
  const key = `${chain.network} ${currency}`;
  const left = mostOf(chain) - (records.minted.get(key) ?? 0n);
  const drawn = drawAtLimit(random, { cent: centOf(chain, currency), most: left });
  if (drawn === null) return null;
  const amount = random.chance(15) ? left : drawn;
  records.minted.set(key, mostOf(chain) - left + amount);
  return amount;
}

/** Somebody pays an extreme amount by these means. Null when there is none left. */
function payExtreme(scene: Scene, terms: Terms, { chain, currency }: Means): string | null {
  const amount = drawExtreme(scene, { chain, currency });
  if (amount === null) return null;
  const { addresses, name } = scene.random.pick(CUSTOMERS);
  const { contract: token } = chain.spec.tokens[currency]!;
  const recipient = depositAddress(terms, chain);
  const hash = chain.pay({ token, payer: addresses[chain.spec.family], recipient, amount });
  const session = scene.story.name('session', terms.id);
  return `${name} sends ${amount} base units of ${currency} on ${chain.network} to ${session} (${scene.story.name('payment', hash)})`;
}

/** A way that a session offers, or any one. */
function chooseMeans({ world, random }: Scene, terms: Terms): Means {
  const offered = meansOf(world, terms);
  if (offered.length > 0 && random.chance(75)) return random.pick(offered);
  const chain = random.pick(world.chains);
  return { chain, currency: random.pick(Object.keys(chain.spec.tokens)) };
}

function payAny(scene: Scene): string | null {
  const { world, random } = scene;
  if (world.sessions.length === 0) return null;
  const terms = random.pick(world.sessions.slice(-6));
  return payExtreme(scene, terms, chooseMeans(scene, terms));
}

/** A session gets extreme amounts, in time or late, and another customer pays an ordinary order on the same network. */
async function extremeOrder(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { now, tell, told } = journey;
  const [terms] = (await now()).world.sessions as [Terms];
  if (random.chance(20)) world.advance(terms.expiresAt - terms.createdAt + 1);
  const means = chooseMeans(scene, terms);
  for (let left = random.pick([1, 1, 2]); left > 0; left--) tell(payExtreme(scene, terms, means));
  const other = await openOrder(scene, BigInt(random.int(100, 5000)));
  const [fit] = other ? meansOf(world, other).filter(({ chain }) => chain === means.chain) : [];
  if (other && fit) tell(pay(scene, { terms: other, means: fit }, random.pick(CUSTOMERS)));
  await runAlong(scene, /^(watch|expire) /, random.int(2, 4));
  if (random.chance(60)) tell(await decideException(await now()));
  if (random.chance(40)) tell(await createRefund(await now()));
  await runAlong(scene, random.pick([/^(refunds|watch) /, /^(refunds|watch|balances|sweep) /]), random.int(1, 3));
  return told();
}

export const EXTREME_PAYMENTS: readonly Action[] = [
  { name: 'a payment at the limit of a number', weight: 2, act: payAny },
  { name: 'an order is paid at the limit of a number', weight: 6, act: extremeOrder },
];
