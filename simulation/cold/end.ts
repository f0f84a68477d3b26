// The end of a history in an installation with a cold wallet: the worker compares the wallet, requests what is above the mark, and pays it,
// until nothing is left to move.

import { runSome } from '@/simulation/actions/product';
import { mineAll } from '@/simulation/actions/time';
import { readSnapshot } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';

/** All that a cold transfer and its booking need. The cold wallet is a payee whom the screening may not know yet. */
const COLD_STEPS = /^(screen|watch|book outflows|reconcile|request cold transfers|refunds) ?/;
/** Longer than the pause between two comparisons of the wallet on a local chain, and than the lease of one. */
export const BETWEEN_READINGS = 130;
const BLOCKS = 6;
/** A surplus is funding when two readings show it, a third one is read for the transfer, which then takes some rounds. */
const [LEAST_ROUNDS, MOST_ROUNDS] = [5, 40];

export async function endCold(world: World): Promise<void> {
  if (world.harness.signer.settings.cold === null) return;
  let quiet = 0;
  for (let round = 0; round < MOST_ROUNDS && quiet < LEAST_ROUNDS; round++) {
    world.advance(BETWEEN_READINGS);
    mineAll(world, () => BLOCKS);
    await runSome(world, COLD_STEPS);
    const { cold_transfers: cold } = await readSnapshot(world.harness.database.pool);
    const isBusy = cold.some(
      ({ status, hold }) => (status === 'pending' || status === 'processing') && hold !== 'limit',
    );
    quiet = isBusy ? 0 : quiet + 1;
  }
}
