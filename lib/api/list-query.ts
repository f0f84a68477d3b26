// The query parameters of the listings: filters, a limit and an opaque cursor, checked by schemas whose messages are error codes.
// Signature version 1 does not cover the query, so no parameter can widen what a key may see.

import { z } from 'zod';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isSessionId } from '@/lib/platform/ids';
import { orderId, PARAMETER } from '@/lib/platform/request-text';
import type { SessionPosition } from '@/lib/payments/sessions/list';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import type { EventPosition, EventQuery } from '@/lib/webhooks/events/list';
import { checkBody } from './validate';

const USUAL_LIMIT = 25;
const LONGEST_CURSOR = 200;

const wholeNumber = (digits: number) =>
  z
    .string(PARAMETER)
    .regex(new RegExp(`^(0|[1-9][0-9]{0,${digits - 1}})$`), PARAMETER)
    .transform(Number);
/** 1 to 100, as a pattern, so that the OpenAPI document states the rule that the API checks. */
const limit = z
  .string(PARAMETER)
  .regex(/^([1-9][0-9]?|100)$/, PARAMETER)
  .transform(Number)
  .default(USUAL_LIMIT);
const unixTime = wholeNumber(10).transform(fromUnixSeconds);
const cursor = z
  .string(PARAMETER)
  .max(LONGEST_CURSOR, PARAMETER)
  .regex(/^[A-Za-z0-9_-]+$/, PARAMETER);
const STATUSES = ['pending', 'completed', 'expired', 'canceled', 'failed'] as const;

/** The parameters that every listing accepts. `created_from` is inclusive, `created_to` exclusive. */
export const common = {
  limit,
  cursor: cursor.optional(),
  created_from: unixTime.optional(),
  created_to: unixTime.optional(),
};
/** The status of a refund or a payout. */
export const refundStatus = z
  .string(PARAMETER)
  .toLowerCase()
  .pipe(z.enum(['pending', 'processing', 'completed', 'failed', 'canceled'], PARAMETER));
export const sessionsQuerySchema = z.object({
  ...common,
  status: z.string(PARAMETER).toLowerCase().pipe(z.enum(STATUSES, PARAMETER)).optional(),
  order_id: orderId.optional(),
});
export const eventsQuerySchema = z.object({
  ...common,
  type: z.enum(EVENT_TYPES, PARAMETER).optional(),
  object_id: orderId.optional(),
  order: z.enum(['asc', 'desc'], PARAMETER).default('desc'),
});

/** How many seconds a listener may wait. The maximum is the default. */
export const listenQuerySchema = z.object({
  cursor: common.cursor,
  wait: z
    .string(PARAMETER)
    .regex(/^(1?[0-9]|20)$/, PARAMETER)
    .transform(Number)
    .default(20),
});

/**
 * Reads a query by a schema. Throws INVALID_PARAMETER with the name of a parameter that is invalid or repeated; unknown names are
 * ignored.
 */
export function readQuery<Shape extends z.ZodRawShape>(
  query: string,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const given = new URLSearchParams(query);
  const names = Object.keys(schema.shape).filter((name) => given.has(name));
  const twice = names.find((name) => given.getAll(name).length > 1);
  if (twice !== undefined) throw new ServiceError('INVALID_PARAMETER', { param: twice });
  return checkBody(Object.fromEntries(names.map((name) => [name, given.get(name)])), schema);
}

/** A cursor is text that only this service reads. Its first part names the list and its version. */
export const encodeCursor = (...parts: string[]): string => Buffer.from(parts.join(' ')).toString('base64url');
export const decodeCursor = (text: string): string[] => Buffer.from(text, 'base64url').toString().split(' ');
export const isCursorInteger = (text: string | undefined): text is string => /^(0|[1-9]\d{0,17})$/.test(text ?? '');
export const badCursor = (): ServiceError => new ServiceError('INVALID_PARAMETER', { param: 'cursor' });

/** Dates hold at most sixteen digits of milliseconds. */
const MAX_DIGITS = 15;

type TimePosition = { readonly createdAt: Date; readonly id: string };

/** Cursors of a list that is ordered by time and id. `read` throws INVALID_PARAMETER for anything but a cursor of this kind. */
export const timeCursor = (kind: string, idForm: RegExp) => ({
  write: ({ createdAt, id }: TimePosition): string => encodeCursor(kind, String(createdAt.getTime()), id),
  read(text: string | undefined): TimePosition | null {
    if (text === undefined) return null;
    const [given, milliseconds, id = '', ...rest] = decodeCursor(text);
    const isTime = isCursorInteger(milliseconds) && milliseconds.length <= MAX_DIGITS;
    if (given !== kind || !isTime || !idForm.test(id) || rest.length > 0) throw badCursor();
    return { createdAt: new Date(Number(milliseconds)), id };
  },
});

const SESSIONS = 's1';

export const sessionCursor = ({ createdAt, id }: SessionPosition): string =>
  encodeCursor(SESSIONS, String(createdAt.getTime() / 1000), id);

/** Throws INVALID_PARAMETER for anything but a cursor of the sessions' list. */
export function readSessionCursor(text: string | undefined): SessionPosition | null {
  if (text === undefined) return null;
  const [kind, seconds, id = '', ...rest] = decodeCursor(text);
  const isRight =
    kind === SESSIONS && isCursorInteger(seconds) && seconds.length <= 10 && isSessionId(id) && rest.length === 0;
  if (!isRight) throw badCursor();
  return { createdAt: fromUnixSeconds(Number(seconds)), id };
}

/**
 * Each order has its own kind of cursor. A cursor of a page read newest first cannot continue oldest first without missing
 * events.
 */
const EVENTS = { asc: 'ea1', desc: 'ed1' } as const;
/** The position before every event. */
const BEGINNING: EventPosition = { writtenIn: '0', id: '' };

export const eventCursor = (order: EventQuery['order'], position: EventPosition | null): string => {
  const { writtenIn, id } = position ?? BEGINNING;
  return encodeCursor(EVENTS[order], writtenIn, id);
};

/** Throws INVALID_PARAMETER for anything but a cursor of the events' list in this order. */
export function readEventCursor(text: string | undefined, order: EventQuery['order']): EventPosition | null {
  if (text === undefined) return null;
  const [kind, writtenIn, id = '', ...rest] = decodeCursor(text);
  const isRight =
    kind === EVENTS[order] && isCursorInteger(writtenIn) && /^(evt_\d{1,30})?$/.test(id) && rest.length === 0;
  if (!isRight) throw badCursor();
  return { writtenIn, id };
}
