// A whole machine is cloned, and both run on the same database.

import { openSteps } from '@/lib/worker/steps';
import { mineAll } from '@/simulation/actions/time';
import { runAll, runElsewhere } from '@/simulation/actions/product';
import type { Action, Scene } from '@/simulation/actions/action';

const BLOCKS = 5;

/** A copy of the whole host starts beside it: another worker, and another signer on a copy of the journal. It signs nothing. */
async function clone({ world, random }: Scene): Promise<string | null> {
  const { signer } = world.harness;
  if (signer.isDown) return null;
  signer.startClone('machine 2');
  const config = { ...world.context.config, SIGNER_SOCKET: signer.clone.socket };
  const context = { ...world.context, config };
  const steps = openSteps(context).filter(({ name }) => world.steps.some((one) => one.name === name));
  const rounds = random.int(1, 4);
  const isOriginalFirst = random.chance(50);
  for (let round = 0; round < rounds; round++) {
    world.advance(20);
    mineAll(world, () => BLOCKS);
    if (isOriginalFirst) await runAll(world);
    await runElsewhere(world, steps, context);
    if (!isOriginalFirst) await runAll(world);
  }
  const frozen = signer.clone.frozen();
  signer.clone.stop();
  if (frozen === null) throw new Error('the signer of a cloned machine signs');
  return `The machine is cloned, and both run ${rounds} rounds; the copied signer is frozen (${frozen})`;
}

export const MACHINE_FAULTS: readonly Action[] = [{ name: 'the machine is cloned', weight: 5, act: clone }];
