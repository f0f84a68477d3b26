// What whole networks do to everybody: reorganisations, halts, fees, lost and replaced transactions, and tokens whose issuer
// refuses a transfer.

import type { Action, Scene } from '@/simulation/actions/action';
import { unixNow } from '@/simulation/actions/action';
import { mineAll } from '@/simulation/actions/time';
import { CUSTOMERS, type Addresses } from '@/simulation/parties';

function reorganise({ world, random, story }: Scene, depth: number, keepsAll: boolean): string | null {
  const chain = random.pick(world.chains);
  const dropped: string[] = [];
  const isDropped = (hash: string): boolean =>
    !keepsAll && random.chance(25) && dropped.push(story.name('payment', hash)) > 0;
  const removed = chain.reorg(depth, isDropped);
  if (removed === 0) return null;
  const lost = dropped.length > 0 ? ` and loses ${dropped.join(', ')} for good` : '';
  return `${chain.network} replaces its ${removed} newest blocks${lost}`;
}

/** The blocks come back at once, with the same transactions in another order of blocks. */
function replace(scene: Scene): string | null {
  const says = reorganise(scene, 3, true);
  if (says !== null) mineAll(scene.world, () => 3);
  return says && `${says} and is longer than before`;
}

function setFees({ world, random }: Scene, factors: readonly bigint[]): string {
  const chain = random.pick(world.chains);
  const factor = random.pick(factors);
  chain.setFees(factor);
  return `Fees on ${chain.network} are ${factor} times the usual ones`;
}

function refuse({ world, random }: Scene, recipient: Addresses | '*', who: string): string | null {
  const chain = random.pick(world.chains);
  const currency = random.pick(Object.keys(chain.spec.tokens));
  const token = chain.spec.tokens[currency]!.contract;
  const blocked = recipient === '*' ? recipient : recipient[chain.spec.family];
  world.records.blocked.add(`${chain.network} ${currency} ${blocked}`);
  const isAdded = chain.refuse(token, blocked);
  return isAdded ? `The issuer of ${currency} on ${chain.network} blocks ${who}` : null;
}

export const CHAIN_FAULTS: readonly Action[] = [
  { name: 'a reorganisation of one block', weight: 6, act: (scene) => reorganise(scene, 1, false) },
  { name: 'a reorganisation down to finality', weight: 4, act: (scene) => reorganise(scene, 99, false) },
  { name: 'a reorganisation that loses nothing', weight: 3, act: replace },
  {
    name: 'waiting transactions vanish',
    weight: 3,
    act: ({ world, random }) => {
      const chain = random.pick(world.chains);
      const count = chain.dropWaiting();
      return count > 0 ? `${chain.network} forgets ${count} waiting transactions` : null;
    },
  },
  { name: 'fees spike', weight: 2, act: (scene) => setFees(scene, [3n, 12n, 1000n]) },
  { name: 'fees fall', weight: 2, act: (scene) => setFees(scene, [1n]) },
  {
    name: 'a block takes replaced transactions',
    weight: 2,
    act: ({ world, random }) => {
      const chain = random.pick(world.chains);
      const count = chain.restoreReplaced?.() ?? 0;
      if (count === 0 || world.halted.has(chain.network)) return null;
      chain.mine(unixNow(world));
      return `A miner of ${chain.network} has missed the replacements of ${count} transactions`;
    },
  },
  {
    name: 'a chain stops',
    weight: 2,
    act: ({ world, random }) => {
      const { network } = random.pick(world.chains);
      if (world.halted.has(network)) return null;
      world.halted.add(network);
      return `${network} makes no blocks`;
    },
  },
  {
    name: 'a block of the future',
    weight: 1,
    act: ({ world, random }) => {
      const chain = random.pick(world.chains);
      if (world.halted.has(chain.network)) return null;
      const seconds = random.pick([5, 15, 60]);
      chain.mine(unixNow(world) + seconds);
      return `A block on ${chain.network} says that it was made in ${seconds} s`;
    },
  },
  {
    name: 'a customer is blocked',
    weight: 1,
    act: (scene) => {
      const { name, addresses } = scene.random.pick(CUSTOMERS);
      return refuse(scene, addresses, name);
    },
  },
  {
    name: 'a token is paused',
    weight: 1,
    act: (scene) => refuse(scene, '*', 'every transfer'),
  },
];
