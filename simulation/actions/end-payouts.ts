// What owners do at the end of a history, so that every payout ends: a store that has stopped its addresses adds one.

import { addressesInUse } from '@/simulation/payouts/records';
import type { Snapshot } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';
import { addAddress } from './paying-out';
import { walletsOf } from './payouts';

const NEEDS_ADDRESS = 'destination_needed';

/** A payout without an address waits for one for ever. */
export async function endPayouts(world: World, { payouts }: Snapshot): Promise<void> {
  for (const { hold, store_id: storeId, network } of payouts) {
    const store = world.stores.find((one) => one.storeId === storeId);
    const chain = world.chains.find((one) => one.network === network);
    const isMissing = addressesInUse(world.records.payouts, { storeId, network }).length === 0;
    if (hold !== NEEDS_ADDRESS || !isMissing || !store || !chain) continue;
    const [first] = walletsOf(world, store);
    await addAddress(world, { store, chain, typed: first[chain.spec.family], isLookAlikeConfirmed: true });
  }
}
