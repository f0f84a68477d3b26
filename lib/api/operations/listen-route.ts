// GET /api/v1/events/listen: a long poll of the test environment's events, for developing without a public address (the SDK's
// `stabletill listen`). A listener waits outside of the places for requests; how many may wait is bounded here.

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
import type { Services } from '@/lib/api/services';

/** How late an event is told at most. Each look costs one row of an index. */
const LOOK_MILLISECONDS = 500;
/** Events in one answer; whoever asks again gets the next ones at once. */
const MOST_EVENTS = 25;
/** A developer's programs, and those of theirs that broke off and are not noticed yet. */
const MOST_PER_KEY = 5;
/** Together they look at the database two hundred times a second. */
const MOST_PER_PROCESS = 100;
/** A place is free again after the longest wait. */
const RETRY_SECONDS = 20;

/** Test keys only: live events have their endpoint. Throws RATE_LIMITED when too many listen. */
export const listenEventsRoute: Handler = async ({ services, request, caller }) => {
  if (caller.key.environment !== 'test')
    throw new ServiceError('insufficient_scope', { message: 'Only test keys (ak_test_…) can listen.' });
  const asked = readQuery(request.query, listenQuerySchema);
  const after = readEventCursor(asked.cursor, 'asc');
  if (after === null) {
    return heard([], eventCursor('asc', await presentPosition(services, caller)));
  }
  const leave = enter(services, caller.key.id);
  try {
    const { bodies, last } = await waitForEvents(services, caller, { after, wait: asked.wait });
    return heard(bodies, eventCursor('asc', last ?? after));
  } finally {
    leave();
  }
};

async function waitForEvents(
  services: Services,
  caller: Caller,
  { after, wait }: { after: EventPosition; wait: number },
): Promise<EventPage> {
  const query = { order: 'asc', after, limit: MOST_EVENTS, types: typesFor(caller, undefined) } as const;
  const until = performance.now() + Math.min(wait * 1000, services.listenMilliseconds);
  let page = await listEvents(services, caller, query);
  while (page.bodies.length === 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_MILLISECONDS, until - performance.now())));
    if (!(await hasEventAfter(services, caller.key, query))) continue;
    // The page is asked for as by a request of its own, so that a key that was revoked meanwhile hears nothing more.
    page = await listEvents(services, { ...caller, nonce: randomUUID() }, query);
  }
  return page;
}

/** The exact texts, since they are what is signed. */
function heard(bodies: readonly string[], cursor: string) {
  const data = bodies.map((body) => {
    const { id, type } = JSON.parse(body) as { id: string; type: string };
    return { event_id: id, event_type: type, body };
  });
  return jsonResponse(200, JSON.stringify({ data, resume_cursor: cursor }));
}

/** Who waits in this process, by key. */
const waiting = new WeakMap<Services, Map<number, number>>();

/** Takes a place, which the answer gives back. */
function enter(services: Services, keyId: number): () => void {
  const places = waiting.get(services) ?? new Map<number, number>();
  waiting.set(services, places);
  const mine = places.get(keyId) ?? 0;
  const all = [...places.values()].reduce((sum, count) => sum + count, 0);
  if (mine >= MOST_PER_KEY || all >= MOST_PER_PROCESS) {
    throw new ServiceError('RATE_LIMITED', { message: 'Too many listen at once.', retryAfter: RETRY_SECONDS });
  }
  places.set(keyId, mine + 1);
  return () => {
    const left = (places.get(keyId) ?? 1) - 1;
    if (left > 0) places.set(keyId, left);
    else places.delete(keyId);
  };
}
