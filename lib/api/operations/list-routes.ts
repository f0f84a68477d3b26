// The listings beyond the contract: sessions and events of the key's own store and environment, page by page.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse } from '@/lib/platform/http';
import { payoutIntentOf } from '@/lib/payouts/intent';
import { intentIdOf } from '@/lib/refunds/request/intent';
import { merchantIdIn } from '@/lib/platform/request-text';
import { listSessions } from '@/lib/payments/sessions/list';
import {
  OPTIONAL_PAYMENT_EVENTS,
  PAYMENT_TYPES,
  PAYOUT_TYPES,
  REFUND_TYPES,
  type EventType,
} from '@/lib/webhooks/events/events';
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
  const query = readQuery(request.query, sessionsQuerySchema);
  const { sessions, next } = await listSessions(services, caller, {
    status: query.status,
    orderId: query.order_id,
    from: query.created_from,
    to: query.created_to,
    after: readSessionCursor(query.cursor),
    limit: query.limit,
  });
  const data = sessions.map((session) => readSessionView(session, services));
  return jsonResponse(200, JSON.stringify({ data, next_cursor: next && sessionCursor(next) }));
};

/**
 * GET /api/v1/events, for the types that the key's scopes allow: newest first, or with `order=asc` oldest first. In that order
 * the response always has `resume_cursor`: sent as `cursor` at any later time, it returns every event since then, each once.
 */
export const listEventsRoute: Handler = async ({ services, request, caller }) => {
  const query = readQuery(request.query, eventsQuerySchema);
  const after = readEventCursor(query.cursor, query.order);
  const { bodies, last, isMore } = await listEvents(services, caller, {
    types: typesFor(caller, query.type),
    objectIds: query.object_id === undefined ? undefined : namesOf(caller, query.object_id),
    from: query.created_from,
    to: query.created_to,
    order: query.order,
    after,
    limit: query.limit,
  });
  const end = eventCursor(query.order, last ?? after);
  const cursors = {
    next_cursor: isMore ? end : null,
    ...(query.order === 'asc' ? { resume_cursor: end } : {}),
  };
  // The response contains the exact text that was delivered. A parser in between could not keep all its integers exact.
  return jsonResponse(200, `{"data":[${bodies.join(',')}],${JSON.stringify(cursors).slice(1)}`);
};

const TYPES_OF: Partial<Record<Scope, readonly EventType[]>> = {
  'sessions:read': [...PAYMENT_TYPES, ...OPTIONAL_PAYMENT_EVENTS],
  'refunds:read': REFUND_TYPES,
  'payouts:read': PAYOUT_TYPES,
};

/**
 * The types to list: the requested one, or all that the key may read; undefined for all types. Each scope
 * shows the events of what it reads: sessions, refunds or payouts. Throws insufficient_scope for a type that the key may not read.
 */
export function typesFor({ key }: Caller, requested: EventType | undefined): readonly EventType[] | undefined {
  const reachable = Object.entries(TYPES_OF).filter(([scope]) => key.scopes.includes(scope));
  const types = reachable.flatMap(([, own]) => own);
  if (requested === undefined) return reachable.length === Object.keys(TYPES_OF).length ? undefined : types;
  if (types.includes(requested)) return [requested];
  const [scope] = Object.entries(TYPES_OF).find(([, own]) => own.includes(requested)) ?? [];
  throw new ServiceError('insufficient_scope', { message: `The API key lacks the scope ${scope}.` });
}

/** A session is identified by its id, a refund or a payout by the name that its merchant gave it. */
function namesOf({ key: { storeId, environment } }: Caller, text: string): readonly string[] {
  const name = merchantIdIn(text) ?? text;
  return [
    text,
    intentIdOf({ storeId, environment, refundId: name }),
    payoutIntentOf({ storeId, environment, payoutId: name }),
  ];
}
