// The listings beyond the contract: sessions and events of the key's own store and environment, page by page.

import { jsonResponse } from '@/lib/http';
import { listSessions } from '@/lib/sessions/list';
import { sessionView } from '@/lib/sessions/view';
import { listEvents } from '@/lib/webhooks/list';
import type { Handler } from './handler';
import {
  eventCursor,
  eventsQuerySchema,
  readEventCursor,
  readQuery,
  readSessionCursor,
  sessionCursor,
  sessionsQuerySchema,
} from './list-query';

/** GET /api/v1/checkout/sessions: newest first. */
export const listSessionsRoute: Handler = async ({ services, request, caller }) => {
  const asked = readQuery(request.query, sessionsQuerySchema);
  const { sessions, next } = await listSessions(services, caller, {
    status: asked.status,
    orderId: asked.order_id,
    from: asked.created_from,
    to: asked.created_to,
    after: readSessionCursor(asked.cursor),
    limit: asked.limit,
  });
  const data = sessions.map((session) => sessionView(session, services.config.PUBLIC_URL));
  return jsonResponse(200, JSON.stringify({ data, next_cursor: next && sessionCursor(next) }));
};

/**
 * GET /api/v1/events: newest first, or with `order=asc` oldest first. Then `resume_cursor` is there always: kept, and sent
 * as `cursor` at any later time, it gives every event since, each once.
 */
export const listEventsRoute: Handler = async ({ services, request, caller }) => {
  const asked = readQuery(request.query, eventsQuerySchema);
  const after = readEventCursor(asked.cursor, asked.order);
  const { bodies, last, isMore } = await listEvents(services, caller, {
    type: asked.type,
    objectId: asked.object_id,
    from: asked.created_from,
    to: asked.created_to,
    order: asked.order,
    after,
    limit: asked.limit,
  });
  const end = eventCursor(asked.order, last ?? after);
  const cursors = {
    next_cursor: isMore ? end : null,
    ...(asked.order === 'asc' ? { resume_cursor: end } : {}),
  };
  // An event is shown as the very text that was delivered, whose integers a parser in between could not all hold.
  return jsonResponse(200, `{"data":[${bodies.join(',')}],${JSON.stringify(cursors).slice(1)}`);
};
