// What stops sweeps alone: the account that pays for them has no coin.

import type { Action, Scene } from '@/simulation/actions/action';
import { SPONSORS } from '@/simulation/sweeping';

function takeCoin({ world, random }: Scene): string | null {
  const chain = random.pick(world.chains);
  if (!chain.penniless || chain.penniless.size > 0) return null;
  for (const sponsor of SPONSORS[chain.spec.family]) chain.penniless.add(sponsor);
  return `The sponsor has no coin on ${chain.network}`;
}

export const SWEEP_FAULTS: readonly Action[] = [{ name: 'the sponsor has no coin', weight: 2, act: takeCoin }];
