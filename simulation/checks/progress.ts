// When the faults have stopped, everything comes to its end within a bounded simulated time: sessions, refunds, events.

import { runAll } from '@/simulation/actions/product';
import { call } from '@/simulation/actions/merchants';
import { mineAll } from '@/simulation/actions/time';
import { readSnapshot, type RefundRow, type Snapshot } from '@/simulation/snapshot';
import type { Story } from '@/simulation/story';
import type { World } from '@/simulation/world';
import type { Check } from './check';
import { everyTransferIsStored } from './credits';

const times = (count: number, seconds: number): number[] => Array<number>(count).fill(seconds);
/**
 * Pauses between rounds grow from seconds to hours: together about three days, because a payment that an endpoint left
 * out is found by the daily comparison of balances once its session is completed.
 */
const PAUSES = [...times(5, 15), ...times(4, 60), ...times(4, 300), ...times(8, 900), ...times(64, 3600)];
/** A refund that waits for its customer's address ends when its merchant cancels it. */
const WAITS_FOR_CUSTOMER = 'destination_needed';

/** Two blocks a round make everything final by then that was sent before. */
const LEAST_ROUNDS = 4;

const isOpen = ({ status }: { readonly status: string }): boolean => status === 'pending' || status === 'processing';
const isBusy = ({ sessions, refunds, deliveries }: Snapshot): boolean =>
  [...sessions, ...refunds, ...deliveries].some(isOpen);

/** Lets the world run until nothing is open or missing, or the time is over. Returns the snapshot at the end. */
export async function settleDown(world: World, story: Story): Promise<Snapshot> {
  let snapshot = await readSnapshot(world.laboratory.database.pool);
  for (const [round, seconds] of PAUSES.entries()) {
    await world.advance(seconds);
    mineAll(world, () => 2);
    await runAll(world);
    snapshot = await readSnapshot(world.laboratory.database.pool);
    const isMissing = everyTransferIsStored({ world, before: snapshot, after: snapshot, story }).length > 0;
    if (round >= LEAST_ROUNDS && !isMissing && !isBusy(snapshot)) return snapshot;
    if (round > 7) for (const refund of snapshot.refunds) await cancelWaiting(world, refund);
  }
  return snapshot;
}

async function cancelWaiting(world: World, { status, hold, refund_id, store_id }: RefundRow): Promise<void> {
  const store = world.stores.find(({ storeId }) => storeId === store_id);
  if (!store || !isOpen({ status }) || hold !== WAITS_FOR_CUSTOMER) return;
  await call(world, store, { path: `/api/v1/refunds/${encodeURIComponent(refund_id)}/cancel` });
}

export const everythingEnds: Check = ({ world, after, story }) => [
  ...after.sessions.filter(isOpen).map(({ id }) => `${story.name('session', id)} never ends`),
  ...after.refunds
    .filter(isOpen)
    .map(({ id, hold, status }) => `${story.name('refund', id)} stays ${status} (${hold ?? 'without a reason'})`),
  ...after.deliveries.filter(isOpen).map(({ event_id }) => `${story.name('event', event_id)} stays undelivered`),
  ...(world.laboratory.signer.frozen() !== null
    ? [`the signer is frozen, and nobody stole anything: ${world.laboratory.signer.frozen()}`]
    : []),
];
