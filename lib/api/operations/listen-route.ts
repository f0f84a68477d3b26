// GET /api/v1/events/listen: a long poll of the test environment's events, for development without a public address (the SDK's
// `stabletill listen`). A listener takes no place of the admission control; how many may wait is bounded (listening-places).

import { randomUUID } from 'node:crypto';
import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse } from '@/lib/platform/http';
import {
  hasEventAfter,
  listEvents,
  presentPosition,
  type EventPage,
  type EventPosition,
} from '@/lib/webhooks/events/list';
import type { Handler } from '@/lib/api/handler';
import { eventCursor, listenQuerySchema, readEventCursor, readQuery } from '@/lib/api/list-query';
import { typesFor } from './list-routes';
import { openPlaces, type TakePlace } from './listening-places';
import type { Services } from '@/lib/api/services';

/** The longest delay of an event. Each poll reads one row of an index. */
const POLL_MILLISECONDS = 500;
/** Events in one response. The next request gets the following ones at once. */
const MAX_EVENTS = 25;

/** Test keys only: live events go to webhook endpoints. Throws RATE_LIMITED when too many listeners wait. */
export const listenEventsRoute: Handler = async ({ services, request, caller }) => {
  if (caller.key.environment !== 'test')
    throw new ServiceError('insufficient_scope', { message: 'Only test keys (ak_test_…) can listen.' });
  const query = readQuery(request.query, listenQuerySchema);
  const after = readEventCursor(query.cursor, 'asc');
  if (after === null) {
    return eventsResponse([], eventCursor('asc', await presentPosition(services, caller)));
  }
  const leave = takePlace(services, caller.key);
  try {
    const { bodies, last } = await waitForEvents(services, caller, { after, wait: query.wait });
    return eventsResponse(bodies, eventCursor('asc', last ?? after));
  } finally {
    leave();
  }
};

async function waitForEvents(
  services: Services,
  caller: Caller,
  { after, wait }: { after: EventPosition; wait: number },
): Promise<EventPage> {
  const query = { order: 'asc', after, limit: MAX_EVENTS, types: typesFor(caller, undefined) } as const;
  const until = performance.now() + Math.min(wait * 1000, services.listenMilliseconds);
  let page = await listEvents(services, caller, query);
  while (page.bodies.length === 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_MILLISECONDS, until - performance.now())));
    if (!(await hasEventAfter(services, caller.key, query))) continue;
    // Reads the page like a separate request, so that a key that was revoked meanwhile gets no further events.
    page = await listEvents(services, { ...caller, nonce: randomUUID() }, query);
  }
  return page;
}

/** The exact texts, because the signature covers them. */
function eventsResponse(bodies: readonly string[], cursor: string) {
  const data = bodies.map((body) => {
    const { id, type } = JSON.parse(body) as { id: string; type: string };
    return { event_id: id, event_type: type, body };
  });
  return jsonResponse(200, JSON.stringify({ data, resume_cursor: cursor }));
}

const places = new WeakMap<Services, TakePlace>();

function takePlace(services: Services, key: Caller['key']): () => void {
  const take = places.get(services) ?? openPlaces();
  places.set(services, take);
  return take(key);
}
