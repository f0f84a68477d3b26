// What merchants' receivers got: only events of their own store, each with signatures that verify with every secret that the
// store may still use, and each event that counts as delivered.

import { apiOracle } from '@/simulation/oracles/openapi';
import { verifies, type Received } from '@/testing/receivers/receiver';
import type { ExpectedSecrets } from '@/simulation/secrets';
import type { SimulatedStore } from '@/simulation/stores';
import type { Check } from './check';

type Call = { readonly call: Received; readonly expected: ExpectedSecrets; readonly id: string };
const NONE: ExpectedSecrets = { must: [], may: [] };

const callsTo = ({ receivers }: SimulatedStore): Call[] =>
  receivers.flatMap(({ received, expected }) =>
    received.map((call, index) => ({
      ...{ call, expected: expected[index] ?? NONE },
      id: String(call.headers['x-service-event-id'] ?? eventIdIn(call.body)),
    })),
  );

function eventIdIn(body: Buffer): string {
  const { id, event_id: other } = JSON.parse(body.toString()) as { readonly id?: string; readonly event_id?: string };
  return id ?? other ?? '';
}

/** At the end, once for each call: what receivers got is what the OpenAPI document says. */
export const eventsAreDocumented: Check = ({ world }) =>
  world.stores.flatMap((store) =>
    callsTo(store)
      .flatMap(({ call: { headers, body } }) => apiOracle().checkEvent({ headers, body: body.toString() }))
      .map((fault) => `${store.name} received ${fault}`),
  );

export const eventsReachTheirStoreOnly: Check = ({ world, after, story }) =>
  world.stores.flatMap((store) =>
    callsTo(store).flatMap(({ id }) => {
      const event = after.events.find((one) => one.id === id);
      if (!event) return world.lost.events.has(id) ? [] : [`${store.name} received an event that does not exist`];
      return event.store_id === store.storeId
        ? []
        : [`${store.name} received ${story.name('event', id)} of another store`];
    }),
  );

const isSignedWith = (call: Received, secret: string): boolean =>
  verifies(call, secret) || verifies(call, secret, 'x-service-signature-previous');

/** Each call verifies with every secret that was the store's at some time within the day before, and with no other one. */
export const callsVerifyWithEverySecret: Check = ({ world, story }) =>
  world.stores.flatMap((store) =>
    callsTo(store).flatMap(({ call, expected: { must, may }, id }) =>
      must.every((secret) => isSignedWith(call, secret)) && may.some((secret) => isSignedWith(call, secret))
        ? []
        : [`${story.name('event', id)} reached ${store.name} with a wrong signature`],
    ),
  );

/** A delivery counts as made only when a receiver got it. */
export const deliveredEventsWereReceived: Check = ({ world, after, story }) => {
  const got = new Set(world.stores.flatMap((store) => callsTo(store).map(({ id }) => id)));
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
    const hasFailed = store?.receivers.some((one) => one.hasFailed) ?? false;
    return hasFailed && hasGivenUp
      ? []
      : [`${story.name('event', id)} was never delivered to ${store?.name ?? 'its store'}`];
  });

/** A program that follows the events by its cursor gets none twice. */
export const readersReadNothingTwice: Check = ({ world, story }) =>
  world.stores.flatMap(({ name, reader: { read } }) => {
    const twice = read.find((id, index) => read.indexOf(id) !== index);
    return twice === undefined ? [] : [`${name} read ${story.name('event', twice)} twice`];
  });

/** When everything is quiet and its program has read to the end: it has read each event. */
export const readersReadEverything: Check = ({ world, after, story }) =>
  after.events.flatMap(({ id, store_id }) => {
    const store = world.stores.find(({ storeId }) => storeId === store_id);
    return store?.reader.read.includes(id)
      ? []
      : [`${story.name('event', id)} was never read by ${store?.name ?? 'its store'}`];
  });
