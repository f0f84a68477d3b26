// The calls that are compared between a small and a large history. Each requests the same amount of data in both: a
// full page with the same kind of rows.

import { tsImport } from 'tsx/esm/api';

const SESSIONS = '/api/v1/checkout/sessions';
const EVENTS = '/api/v1/events';
/** More than a page of 25 sessions lies in this many steps of the history. */
const WINDOW_ROWS = 60;

/**
 * The calls by name, as the load generator's orders.
 * @param {{ id: string, order_id: string, created_at: Date, address_index: number }[]} sessions of the measured store, oldest first
 * @param {number} count sessions in the whole history
 */
export async function callsOn(sessions, count) {
  const { sessionCursor, eventCursor } = await tsImport('../../../lib/api/list-query.ts', import.meta.url);
  const middle = sessions[Math.floor(sessions.length / 2)];
  const step = (sessions.at(-1).created_at - sessions[0].created_at) / 1000 / count;
  const from = Math.floor(middle.created_at / 1000);
  const to = Math.ceil(from + step * 2 * WINDOW_ROWS);
  const after = sessionCursor({ createdAt: middle.created_at, id: middle.id });
  const event = (order) => eventCursor(order, { writtenIn: String(middle.address_index), id: '' });
  const get = (...targets) => ({ kind: 'get', targets });
  return {
    read: get(...sessions.map(({ id }) => `${SESSIONS}/${id}`)),
    'list: first page': get(SESSIONS),
    'list: from the middle': get(`${SESSIONS}?cursor=${after}`),
    'list: one status': get(`${SESSIONS}?status=failed`),
    'list: one status, middle': get(`${SESSIONS}?status=completed&cursor=${after}`),
    'list: a stretch of time': get(`${SESSIONS}?created_from=${from}&created_to=${to}`),
    'list: one order': get(...sessions.map((one) => `${SESSIONS}?order_id=${one.order_id}`)),
    'events: first page': get(EVENTS),
    'events: caught up from middle': get(`${EVENTS}?order=asc&cursor=${event('asc')}`),
    'events: one type': get(`${EVENTS}?type=payment.expired`),
    // Last, so that all other calls are measured on the unchanged histories.
    create: { kind: 'create' },
  };
}
