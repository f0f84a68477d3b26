// Time and blocks. Time passes only here; blocks come with it, more or fewer, and none on a chain that stands still.

import type { Scene, Action } from './action';
import { unixNow } from './action';
import type { World } from '@/simulation/world';

/** Makes blocks on every chain that has not stopped. */
export function mineAll(world: World, count: (network: string) => number): void {
  for (const chain of world.chains) {
    if (world.halted.has(chain.network)) continue;
    for (let left = count(chain.network); left > 0; left--) chain.mine(unixNow(world));
  }
}

async function pass({ world, random }: Scene, seconds: number, mostBlocks: number): Promise<string> {
  const halves = [Math.floor(seconds / 2), Math.ceil(seconds / 2)];
  for (const half of halves) {
    world.advance(half);
    mineAll(world, () => random.int(0, mostBlocks));
  }
  const heights = world.chains.map((chain) => `${chain.network} ${chain.height()}`).join(', ');
  return `${seconds} s pass (blocks: ${heights})`;
}

export const BLOCKS: readonly Action[] = [
  {
    name: 'a block',
    weight: 26,
    act: ({ world, random }) => {
      const chain = random.pick(world.chains);
      if (world.halted.has(chain.network)) return null;
      chain.mine(unixNow(world));
      return `A block on ${chain.network} (${chain.height()})`;
    },
  },
];

export const TIME_ACTIONS: readonly Action[] = [
  { name: 'seconds pass', weight: 60, act: (scene) => pass(scene, scene.random.int(1, 20), 2) },
  { name: 'a minute passes', weight: 20, act: (scene) => pass(scene, scene.random.int(40, 120), 4) },
  { name: 'a session’s life passes', weight: 4, act: (scene) => pass(scene, scene.random.int(300, 1800), 6) },
  ...BLOCKS,
];
