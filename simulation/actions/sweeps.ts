// What people do about the product's sweeps: operators pause them and change the account that sends them, and customers pay to
// addresses that were emptied.

import { centOf } from '@/simulation/chain/units';
import { depositAddress } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Action, Scene } from './action';
import { send, type PaymentOrder } from './customers';

/** Sets or ends the pause of one network, as the operator console does. Returns whether there was anything to change. */
async function setPause({ harness, clock }: World, network: string, isPaused: boolean): Promise<boolean> {
  const { rowCount } = await harness.database.pool.query(
    `UPDATE sweep_states SET paused_at = CASE WHEN $2 THEN $3::timestamptz END
     WHERE network = $1 AND (paused_at IS NULL) = $2`,
    [network, isPaused, clock.now()],
  );
  return rowCount !== 0;
}

async function pause({ world, random }: Scene): Promise<string | null> {
  const { network } = random.pick(world.chains);
  if (await setPause(world, network, true)) return `An operator pauses the sweeps on ${network}`;
  return (await setPause(world, network, false)) ? `An operator resumes the sweeps on ${network}` : null;
}

export async function resumeSweeps(world: World): Promise<void> {
  for (const { network } of world.chains) await setPause(world, network, false);
}

function changeSponsor({ world: { harness } }: Scene): string | null {
  const { signer } = harness;
  if (signer.isDown || signer.settings.sweeps === null) return null;
  signer.sponsor = signer.sponsor === 'first' ? 'spare' : 'first';
  signer.restart();
  return `An operator lets the ${signer.sponsor} sponsor send sweeps, and the signer starts again`;
}

/** A payment of some cents to an address for which there was a sweep. */
function lateOrder({ world, random, now }: Scene): PaymentOrder | null {
  const swept = now.sweeps.flatMap(({ network, currency, addresses }) =>
    currency === null ? [] : addresses.map((address) => ({ network, currency, address })),
  );
  if (swept.length === 0) return null;
  const { network, currency, address } = random.pick(swept);
  const chain = world.chains.find((one) => one.network === network);
  const terms = chain && world.sessions.find((one) => depositAddress(one, chain) === address);
  return terms ? { terms, chain, currency, amount: BigInt(random.int(1, 50_000)) * centOf(chain, currency) } : null;
}

function payAgain(scene: Scene): string | null {
  const order = lateOrder(scene);
  return order && send(scene, order);
}

/** The issuer of a token refuses whatever an address sends or gets. */
function blockDeposit({ world, random, story }: Scene): string | null {
  const chains = world.chains.filter(({ spec }) => spec.family === 'evm');
  if (world.sessions.length === 0 || chains.length === 0) return null;
  const [terms, chain] = [random.pick(world.sessions.slice(-6)), random.pick(chains)];
  const currency = random.pick(Object.keys(chain.spec.tokens));
  const isAdded = chain.refuse(chain.spec.tokens[currency]!.contract, depositAddress(terms, chain));
  return isAdded
    ? `The issuer of ${currency} on ${chain.network} blocks the address of ${story.name('session', terms.id)}`
    : null;
}

export const SWEEP_ACTIONS: readonly Action[] = [
  { name: 'an operator pauses or resumes sweeps', weight: 1.5, act: pause },
  { name: 'another sponsor sends the sweeps', weight: 1, act: changeSponsor },
  { name: 'a customer pays to a swept address', weight: 3, act: payAgain },
  { name: 'a deposit address is blocked', weight: 1, act: blockDeposit },
];
