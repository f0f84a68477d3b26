// A statement as a file: CSV for spreadsheets, JSON for programs, a journal for plain-text accounting. The three say the
// same. The file is written while it is read, and one that cannot be completed breaks off without its closing balances.

import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { fileResponse } from '@/lib/dashboard/lists/csv';
import {
  parametersOf,
  readStatementFilters,
  refuseUnknownParameters,
  type StatementFilters,
} from '@/lib/dashboard/lists/filters';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import { monthOf, monthPeriod, type Period } from '@/lib/ledger/statements/period';
import { readStatement, type StatementPiece } from '@/lib/ledger/statements/statement';
import { decimalsIn } from '@/lib/refunds/request/tokens';
import { lastDay, remembered, type StatementHead, type Written } from './amounts';
import { csvStatement } from './csv';
import { journalStatement } from './journal';
import { jsonStatement } from './json';

export type StatementFormat = 'csv' | 'json' | 'journal';
type Writer = (head: StatementHead, pieces: AsyncIterable<StatementPiece>) => Written;

const FORMATS: Readonly<Record<StatementFormat, { readonly type: string; readonly write: Writer }>> = {
  csv: { type: 'text/csv', write: csvStatement },
  json: { type: 'application/json', write: jsonStatement },
  journal: { type: 'text/plain', write: journalStatement },
};

export const isStatementFormat = (text: string | undefined): text is StatementFormat =>
  text !== undefined && Object.hasOwn(FORMATS, text);

const DAY_MILLISECONDS = 86_400_000;

/**
 * The download of a month (`month=2026-10`) or of days (`from` and `to`, both included). Throws INVALID_PARAMETER for another
 * query, and RATE_LIMITED while too many statements are read.
 */
export async function downloadStatement(
  context: Context,
  of: StatementScope,
  format: StatementFormat,
  query: URLSearchParams,
): Promise<Response> {
  const given = parametersOf(query);
  refuseUnknownParameters(given, 'statements');
  const now = context.clock.now();
  const period = periodOf(readStatementFilters(given), now);
  const decimalsOf = remembered(decimalsIn(context.config, of.environment));
  const end = period.to > now ? now : period.to;
  const { type, write } = FORMATS[format];
  const pieces = await begun(readStatement(context, of, period));
  const chunks = await begun(write({ ...of, period, end, decimalsOf }, pieces));
  return fileResponse({ name: `statement-${of.environment}-${daysOf(period)}.${format}`, type }, chunks);
}

/** A period as file names have it. */
export const daysOf = ({ month, from, to }: Period): string => month ?? `${dayOf(from)}-${lastDay(to)}`;

/** The month or days of a query. Throws INVALID_PARAMETER for any other query. */
export function periodOf({ month, from, to }: StatementFilters, now: Date): Period {
  if (month) {
    if (from ?? to) throw new ServiceError('INVALID_PARAMETER', { param: 'month' });
    return month;
  }
  if (!from) throw new ServiceError('INVALID_PARAMETER', { param: 'from' });
  const end = to ?? new Date(Date.parse(dayOf(now)) + DAY_MILLISECONDS);
  if (end <= from) throw new ServiceError('INVALID_PARAMETER', { param: 'to' });
  const whole = monthPeriod(monthOf(from));
  const isMonth = whole?.from.getTime() === from.getTime() && whole.to.getTime() === end.getTime();
  return isMonth ? whole : { from, to: end, month: null };
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/**
 * Reads the first value, so that a refusal becomes an error response and not a broken file. After it, `return` ends the
 * snapshot of a client that disconnects.
 */
export async function begun<T>(
  values: AsyncGenerator<T, void, undefined>,
): Promise<AsyncGenerator<T, void, undefined>> {
  const first = await values.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* values;
    } finally {
      await values.return();
    }
  })();
}
