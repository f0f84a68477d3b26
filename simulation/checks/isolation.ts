// What one store does never changes what another one observes: after a step in which only one store's requests ran,
// every row of the others is what it was.

import type { Snapshot } from '@/simulation/snapshot';
import type { Check } from './check';

export const otherStoresAreUntouched: Check = ({ before, after, store }) => {
  if (store === undefined) return [];
  const [was, is] = [rowsOfOthers(before, store), rowsOfOthers(after, store)];
  return (Object.keys(was) as (keyof typeof was)[])
    .filter((kind) => JSON.stringify(was[kind]) !== JSON.stringify(is[kind]))
    .map((kind) => `a request of one store changed ${kind} of another one`);
};

function rowsOfOthers(
  { sessions, refunds, payouts, payout_addresses, events, exceptions, deliveries }: Snapshot,
  store: string,
) {
  const others = <Row extends { readonly store_id: string }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ store_id }) => store_id !== store);
  const foreignSessions = new Set(others(sessions).map(({ id }) => id));
  const foreignEvents = new Set(others(events).map(({ id }) => id));
  return {
    sessions: others(sessions),
    refunds: others(refunds),
    payouts: others(payouts),
    payoutAddresses: others(payout_addresses),
    events: others(events),
    exceptions: exceptions.filter(({ session_id }) => foreignSessions.has(session_id)),
    deliveries: deliveries.filter(({ event_id }) => foreignEvents.has(event_id)),
  };
}
