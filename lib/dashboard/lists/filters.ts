// The parameters of a list's address: filters, a search and a cursor. An invalid value is refused by name. A request cannot
// supply a column, operator or pattern.

import { z } from 'zod';
import { monthPeriod, yearPeriod, type Period } from '@/lib/ledger/statements/period';
import { isHoldCode } from '@/lib/refunds/holds';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { ServiceError } from '@/lib/platform/errors/errors';
import { PAGE_ROWS, readCursor, type PageRequest } from './keyset';

export const SESSION_STATUSES = ['pending', 'completed', 'expired', 'canceled', 'failed'] as const;
export const EXCEPTIONS = ['partial', 'over', 'early', 'late', 'wrong_token', 'wrong_network'] as const;
/** How much of its price a payment refunded, or is refunding. */
export const REFUND_SHARES = ['whole', 'part'] as const;
export const REFUND_STATUSES = ['pending', 'processing', 'completed', 'failed', 'canceled'] as const;

const LONGEST_SEARCH = 200;
const DAY_MILLISECONDS = 86_400_000;

const search = z
  .string()
  .transform((text) => text.normalize('NFC').trim())
  // No id, hash or order id has a control character.
  .refine((text) => text !== '' && text.length <= LONGEST_SEARCH && !/\p{Cc}/u.test(text));
/** A day in UTC, as its first moment. */
const day = z.iso.date().transform((text) => new Date(`${text}T00:00:00.000Z`));
const network = z.string().regex(/^[a-z]{2,20}$/);
const currency = z.string().regex(/^[A-Z]{3,4}$/);

const isPeriod = (period: Period | null): period is Period => period !== null;

const dates = {
  from: day.optional(),
  to: day.transform((date) => new Date(date.getTime() + DAY_MILLISECONDS)).optional(),
};
const PAYMENTS = {
  q: search.optional(),
  status: z.enum(SESSION_STATUSES).optional(),
  exception: z.enum(EXCEPTIONS).optional(),
  refund: z.enum(REFUND_SHARES).optional(),
  currency: currency.optional(),
  network: network.optional(),
  ...dates,
};
const REFUNDS = {
  q: search.optional(),
  status: z.enum(REFUND_STATUSES).optional(),
  hold: z.enum(['any']).or(z.string().refine(isHoldCode)).optional(),
  network: network.optional(),
  ...dates,
};
/** A calendar month, or days from and to. */
const STATEMENTS = { month: z.string().transform(monthPeriod).refine(isPeriod).optional(), ...dates };
/** A calendar year in UTC. */
const YEAR = /^20\d\d$/;
const PAYERS = { year: z.string().regex(YEAR).transform(yearPeriod).optional() };
const EVENTS = { q: search.optional(), type: z.enum(EVENT_TYPES).optional(), ...dates };

type Read<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;
export type PaymentFilters = Read<typeof PAYMENTS>;
export type RefundFilters = Read<typeof REFUNDS>;
export type EventFilters = Read<typeof EVENTS>;
/** `to` is the first moment after the last day. */
export type DateFilters = Read<typeof dates>;
export type StatementFilters = Read<typeof STATEMENTS>;

/** An address's parameters, as Next gives them to pages. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;
export const parametersOf = (query: URLSearchParams): Parameters =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));

const reader =
  <Shape extends z.ZodRawShape>(shape: Shape) =>
  (given: Parameters): Read<Shape> => {
    const values = Object.entries(shape).flatMap(([name, schema]) => {
      const text = single(given, name);
      if (text === undefined) return [];
      const read = (schema as unknown as z.ZodType).safeParse(text);
      if (!read.success) throw new ServiceError('INVALID_PARAMETER', { param: name });
      return [[name, read.data] as const];
    });
    return Object.fromEntries(values) as Read<Shape>;
  };

/**
 * Throws INVALID_PARAMETER for an unknown filter. Otherwise a misspelled filter would export more than was requested.
 */
export function refuseUnknownParameters(
  given: Parameters,
  kind: 'payments' | 'refunds' | 'statement' | 'statements' | 'payers',
): void {
  const known = { payments: PAYMENTS, refunds: REFUNDS, statement: dates, statements: STATEMENTS, payers: PAYERS }[
    kind
  ];
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw new ServiceError('INVALID_PARAMETER', { param: unknown.slice(0, LONGEST_SEARCH) });
}

/** Each throws INVALID_PARAMETER with the name of an invalid filter. */
export const readPaymentFilters = reader(PAYMENTS);
export const readRefundFilters = reader(REFUNDS);
export const readEventFilters = reader(EVENTS);
export const readDates = reader(dates);
export const readStatementFilters = reader(STATEMENTS);
const readPayerFilters = reader(PAYERS);

/** The year of a file by payer, which has to be given. */
export function readYear(given: Parameters): Period {
  const { year } = readPayerFilters(given);
  if (!year) throw new ServiceError('INVALID_PARAMETER', { param: 'year' });
  return year;
}

export function readPageRequest(given: Parameters): PageRequest {
  const [after, before] = [single(given, 'after'), single(given, 'before')];
  return {
    after: after === undefined ? null : readCursor(after),
    before: before === undefined ? null : readCursor(before),
    limit: PAGE_ROWS,
  };
}

/** A form without scripts sends an empty value, which counts as absent. */
function single(given: Parameters, name: string): string | undefined {
  const values = [given[name] ?? []].flat().filter((text) => text !== '');
  if (values.length > 1) throw new ServiceError('INVALID_PARAMETER', { param: name });
  return values[0];
}
