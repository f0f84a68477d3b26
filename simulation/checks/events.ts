// What merchants' receivers got: only events of their own store, each with a signature that verifies, and each event that
// counts as delivered.

import { apiOracle } from '@/simulation/oracles/openapi';
import { verifies } from '@/testing/receivers/receiver';
import type { Check } from './check';

export const eventsReachTheirStoreOnly: Check = ({ world, after, story }) =>
  world.stores.flatMap((store) =>
    store.receiver.received.flatMap((call) => {
      const id = String(call.headers['x-service-event-id'] ?? eventIdIn(call.body));
      const event = after.events.find((one) => one.id === id);
      if (!event) return world.lost.events.has(id) ? [] : [`${store.name} received an event that does not exist`];
      if (event.store_id !== store.storeId)
        return [`${store.name} received ${story.name('event', id)} of another store`];
      return verifies(call, store.secret)
        ? []
        : [`${story.name('event', id)} reached ${store.name} with a wrong signature`];
    }),
  );

function eventIdIn(body: Buffer): string {
  const { id, event_id: other } = JSON.parse(body.toString()) as { readonly id?: string; readonly event_id?: string };
  return id ?? other ?? '';
}

/** At the end, once for each call: what receivers got is what the OpenAPI document says. */
export const eventsAreDocumented: Check = ({ world }) =>
  world.stores.flatMap(({ name, receiver }) =>
    receiver.received
      .flatMap(({ headers, body }) => apiOracle().checkEvent({ headers, body: body.toString() }))
      .map((fault) => `${name} received ${fault}`),
  );

/** A delivery counts as made only when the receiver got it. */
export const deliveredEventsWereReceived: Check = ({ world, after, story }) => {
  const got = new Set(
    world.stores.flatMap(({ receiver }) =>
      receiver.received.map((call) => String(call.headers['x-service-event-id'] ?? eventIdIn(call.body))),
    ),
  );
  return after.deliveries
    .filter(({ status, event_id }) => status === 'delivered' && !got.has(event_id))
    .map(({ event_id }) => `${story.name('event', event_id)} counts as delivered and was not received`);
};

/** When everything is quiet: each event was delivered, or its receiver failed until no attempt was left. */
export const everyEventIsDelivered: Check = ({ world, after, story }) =>
  after.events.flatMap(({ id, store_id }) => {
    const own = after.deliveries.filter(({ event_id }) => event_id === id);
    const store = world.stores.find(({ storeId }) => storeId === store_id);
    if (own.some(({ status }) => status === 'delivered')) return [];
    const hasGivenUp = own.length > 0 && own.every(({ status }) => status === 'failed');
    return store?.receiver.hasFailed && hasGivenUp
      ? []
      : [`${story.name('event', id)} was never delivered to ${store?.name ?? 'its store'}`];
  });
