// What people do about the product's sweeps: operators pause them and change the account that sends them, and customers pay to
// addresses that were emptied.

import { pauseSweeps, resumeSweeps } from '@/lib/dashboard/operator/treasury/pause-sweeps';
import { centOf } from '@/simulation/chain/units';
import { readSnapshot } from '@/simulation/snapshot';
import { depositAddress } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Action, Scene } from './action';
import { attempt, outcome } from './attempt';
import { send, type PaymentOrder } from './customers';

async function pause({ world, random, now }: Scene): Promise<string | null> {
  if (now.sweep_states.length === 0) return null;
  const { network, is_paused: isPaused } = random.pick(now.sweep_states);
  const request = { environment: 'test', network, by: `user:${random.pick(world.operators)}`, address: '192.0.2.1' };
  const done = await attempt(world, () => (isPaused ? resumeSweeps : pauseSweeps)(world.context, request));
  return `An operator ${isPaused ? 'resumes' : 'pauses'} the sweeps on ${network}: ${outcome(done)}`;
}

export async function resumeAllSweeps(world: World): Promise<void> {
  const { sweep_states: states } = await readSnapshot(world.harness.database.pool);
  const by = `user:${world.operators[0]}`;
  for (const { network } of states.filter((one) => one.is_paused))
    await attempt(world, () => resumeSweeps(world.context, { environment: 'test', network, by, address: '192.0.2.1' }));
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
  const chains = world.chains.filter(({ sent }) => sent !== undefined);
  if (world.sessions.length === 0 || chains.length === 0) return null;
  const [terms, chain] = [random.pick(world.sessions.slice(-6)), random.pick(chains)];
  const currency = random.pick(Object.keys(chain.spec.tokens));
  const isAdded = chain.refuse(chain.spec.tokens[currency]!.contract, depositAddress(terms, chain));
  return isAdded
    ? `The issuer of ${currency} on ${chain.network} blocks the address of ${story.name('session', terms.id)}`
    : null;
}

export const SWEEP_ACTIONS: readonly Action[] = [
  { name: 'an operator pauses or resumes sweeps', weight: 2, act: pause },
  { name: 'another sponsor sends the sweeps', weight: 1, act: changeSponsor },
  { name: 'a customer pays to a swept address', weight: 3, act: payAgain },
  { name: 'a deposit address is blocked', weight: 1, act: blockDeposit },
];
