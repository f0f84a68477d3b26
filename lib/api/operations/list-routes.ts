// The listings beyond the contract: sessions and events of the key's own store and environment, page by page.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse } from '@/lib/platform/http';
import { intentIdOf } from '@/lib/refunds/request/intent';
import { refundIdIn } from '@/lib/refunds/request/schema';
import { listSessions } from '@/lib/payments/sessions/list';
import { OPTIONAL_EVENTS, PAYMENT_TYPES, REFUND_TYPES, type EventType } from '@/lib/webhooks/events/events';
import { listEvents } from '@/lib/webhooks/events/list';
import type { Handler } from '@/lib/api/handler';
import {
  eventCursor,
  eventsQuerySchema,
  readEventCursor,
  readQuery,
  readSessionCursor,
  sessionCursor,
  sessionsQuerySchema,
} from '@/lib/api/list-query';
import { readSessionView } from './session-view';

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
  const data = sessions.map((session) => readSessionView(session, services));
  return jsonResponse(200, JSON.stringify({ data, next_cursor: next && sessionCursor(next) }));
};

/**
 * GET /api/v1/events, as far as the key's scopes reach: newest first, or with `order=asc` oldest first. Then `resume_cursor` is there always: kept, and sent
 * as `cursor` at any later time, it gives every event since, each once.
 */
export const listEventsRoute: Handler = async ({ services, request, caller }) => {
  const asked = readQuery(request.query, eventsQuerySchema);
  const after = readEventCursor(asked.cursor, asked.order);
  const { bodies, last, isMore } = await listEvents(services, caller, {
    types: typesFor(caller, asked.type),
    objectIds: asked.object_id === undefined ? undefined : namesOf(caller, asked.object_id),
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

const TYPES_OF: Partial<Record<Scope, readonly EventType[]>> = {
  'sessions:read': [...PAYMENT_TYPES, ...OPTIONAL_EVENTS],
  'refunds:read': REFUND_TYPES,
};

/**
 * The types that are shown: the one that was asked for, or all that the key may read; undefined for every one there is. Not in
 * the specification: who may read sessions sees the events of payments, who may read refunds those of refunds. Throws
 * insufficient_scope for a type that the key may not read.
 */
export function typesFor({ key }: Caller, asked: EventType | undefined): readonly EventType[] | undefined {
  const reachable = Object.entries(TYPES_OF).filter(([scope]) => key.scopes.includes(scope));
  const types = reachable.flatMap(([, own]) => own);
  if (asked === undefined) return reachable.length === Object.keys(TYPES_OF).length ? undefined : types;
  if (types.includes(asked)) return [asked];
  const [scope] = Object.entries(TYPES_OF).find(([, own]) => own.includes(asked)) ?? [];
  throw new ServiceError('insufficient_scope', { message: `The API key lacks the scope ${scope}.` });
}

/** A session is known by its id, a refund by what its merchant called it. */
const namesOf = ({ key }: Caller, text: string): readonly string[] => [
  text,
  intentIdOf({ storeId: key.storeId, environment: key.environment, refundId: refundIdIn(text) ?? text }),
];
