// What one history is made of. A seed draws a swarm: some of the actions, faults and networks, and a length. A short history
// of few actions repeats and combines them as no long history of all actions does, and costs less than half of it.

import { GROUPS, NEEDED } from './actions/list';
import type { Action } from './actions/action';
import { NETWORKS, type Network } from './chain/open-chain';
import { FAULT_GROUPS } from './faults/table';
import { openRandom, type Random } from './random';

export type Swarm = {
  readonly actions: readonly Action[];
  readonly networks: readonly Network[];
  readonly steps: number;
};

type Group = readonly Action[];

/** The stream of random numbers from which a swarm comes; those of the world and of the steps are others. */
const SWARM = -5;
/** The longest history. */
export const MOST_STEPS = 120;
/** In how many of a hundred histories: a few groups, and about a third of them. All others have every action. */
const [FOCUSED, MIXED] = [70, 24];

export function drawSwarm(seed: number): Swarm {
  const random = openRandom(seed, SWARM);
  const kind = random.int(1, 100);
  if (kind <= FOCUSED) return drawFocused(random);
  if (kind <= FOCUSED + MIXED) return drawMixed(random);
  const actions = [...NEEDED, ...GROUPS.flat(), ...FAULT_GROUPS.flat()];
  return { actions, networks: drawNetworks(random, [2, 2, 3, 3, 4]), steps: random.int(80, MOST_STEPS) };
}

/** One to three groups, which get half of the steps, and faults of at most two kinds. */
function drawFocused(random: Random): Swarm {
  const groups = drawSome(random, GROUPS, random.pick([1, 1, 2, 2, 3]));
  const faults = drawSome(random, FAULT_GROUPS, random.pick([0, 0, 1, 1, 2]));
  const actions = [...NEEDED, ...groups.flatMap((group) => weighing(group, sumOf(NEEDED) / groups.length))];
  return {
    actions: [...actions, ...faults.flatMap((group) => weighing(group, sumOf(NEEDED) / FAULT_SHARE))],
    networks: drawNetworks(random, [1, 1, 2, 2, 3]),
    steps: random.int(12, 40),
  };
}

/** One group of faults is about a tenth of the steps of a focused history. */
const FAULT_SHARE = 5;

/** Some of the groups, at their usual weights. */
function drawMixed(random: Random): Swarm {
  const percent = random.int(20, 50);
  const isIn = (): boolean => random.chance(percent);
  return {
    actions: [...NEEDED, ...GROUPS.filter(isIn).flat(), ...FAULT_GROUPS.filter(isIn).flat()],
    networks: drawNetworks(random, [1, 2, 2, 3]),
    steps: random.int(25, 60),
  };
}

const sumOf = (group: Group): number => group.reduce((sum, { weight }) => sum + weight, 0);

/** The group with weights that come to about `total`, in the proportion that they have. */
function weighing(group: Group, total: number): Group {
  const factor = total / sumOf(group);
  return group.map((one) => ({ ...one, weight: Math.max(1, Math.round(one.weight * factor)) }));
}

/** So many different ones of a list, in its order. */
function drawSome<T>(random: Random, list: readonly T[], count: number): readonly T[] {
  const drawn = new Set<T>();
  while (drawn.size < count) drawn.add(random.pick(list));
  return list.filter((one) => drawn.has(one));
}

const drawNetworks = (random: Random, counts: readonly number[]): readonly Network[] =>
  drawSome(random, NETWORKS, random.pick(counts));
