// The operations of the API that are compared. Each requests the same amount of data of both histories: a full page with the
// same kind of rows, of the store with a fourth of all sessions.

import { STORE } from '../database.mjs';
import { eventCursor, sessionCursor } from '@/lib/api/list-query';
import { call, createSession, rowAt, type Picked, type Side } from './side';
import type { Operation } from './operation';

const SESSIONS = '/api/v1/checkout/sessions';
const EVENTS = '/api/v1/events';
/** More than a page of 25 sessions lies in this many steps of the store's history. */
const WINDOW_ROWS = 60;
/** What a refund gives back. */
const CENTS = 100;

const middleOf = (picked: readonly Picked[]): Picked => picked[Math.floor(picked.length / 2)] as Picked;

/** A page from the middle of the store's history. */
function middle({ large }: Side) {
  const { createdAt, id } = { ...middleOf(large), createdAt: middleOf(large).created_at };
  return { after: sessionCursor({ createdAt, id }), at: createdAt };
}

/** Two and a half pages of the store from the middle of its history. */
function stretch({ large, sessions }: Side): string {
  const [first, last] = [large[0] as Picked, large.at(-1) as Picked];
  const step = (last.created_at.getTime() - first.created_at.getTime()) / 1000 / (sessions / 4);
  const from = Math.floor(middleOf(large).created_at.getTime() / 1000);
  return `created_from=${from}&created_to=${Math.ceil(from + step * WINDOW_ROWS)}`;
}

const cursorOf = (side: Side, order: 'asc' | 'desc'): string =>
  eventCursor(order, { writtenIn: String(middleOf(side.large).address_index), id: '' });

const get = (name: string, target: (side: Side, turn: number) => string): Operation => ({
  group: 'API',
  name,
  run: (side, turn) => call(side, 'GET', target(side, turn)),
});
const pickedAt = ({ large }: Side, turn: number): Picked => large[turn % large.length] as Picked;

export const API: readonly Operation[] = [
  get('read a session', (side, turn) => `${SESSIONS}/${pickedAt(side, turn).id}`),
  get('sessions: first page', () => SESSIONS),
  get('sessions: from the middle', (side) => `${SESSIONS}?cursor=${middle(side).after}`),
  get('sessions: one status', () => `${SESSIONS}?status=canceled`),
  get('sessions: one status, middle', (side) => `${SESSIONS}?status=completed&cursor=${middle(side).after}`),
  get('sessions: a stretch of time', (side) => `${SESSIONS}?${stretch(side)}`),
  get('sessions: one order', (side, turn) => `${SESSIONS}?order_id=${pickedAt(side, turn).order_id}`),
  get('events: first page', () => EVENTS),
  get('events: caught up from middle', (side) => `${EVENTS}?order=asc&cursor=${cursorOf(side, 'asc')}`),
  get('events: one type', () => `${EVENTS}?type=payment.expired`),
  get('refunds: first page', () => '/api/v1/refunds'),
  get('refunds: one status', () => '/api/v1/refunds?status=completed'),
  get('payouts: first page', () => '/api/v1/payouts'),
  // The small history has some twenty of the store.
  get('payment exceptions: first page', () => '/api/v1/payment_exceptions?limit=20'),
];

const PAID = {
  text: `SELECT id, completed_currency AS currency FROM sessions WHERE store_id = '${STORE}' AND status = 'completed' AND amount_refunded = 0
    AND created_at > now() - interval '90 days' ORDER BY id LIMIT 600`,
  isOnce: true,
};

/** Last, so that all other operations are measured on the unchanged histories. */
export const API_WRITES: readonly Operation[] = [
  { group: 'API', name: 'create a session', isWrite: true, run: createSession },
  {
    group: 'API',
    name: 'create and read a refund',
    isWrite: true,
    async run(side, turn) {
      const { id, currency } = await rowAt<{ id: string; currency: string }>(side, turn, PAID);
      const refund = `bench-${process.pid}-${turn}`;
      const body = { session_id: id, refund_id: refund, amount: CENTS, currency };
      await call(side, 'POST', '/api/v1/refunds/create', body);
      await call(side, 'GET', `/api/v1/refunds/${refund}`);
    },
  },
];
