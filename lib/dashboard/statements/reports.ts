// Two further files of the ledger: the payments of a period, and a year by payer. They are written while they are read, as a statement
// is, and one that cannot be completed breaks off before its last row.

import type { Context } from '@/lib/platform/context';
import { fileResponse } from '@/lib/dashboard/lists/csv';
import { parametersOf, readStatementFilters, readYear, refuseUnknownParameters } from '@/lib/dashboard/lists/filters';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import type { Period } from '@/lib/ledger/statements/period';
import { decimalsIn } from '@/lib/refunds/request/tokens';
import { remembered, type StatementHead } from './amounts';
import { begun, daysOf, periodOf } from './download';
import { readPayers } from './payers';
import { csvPayers, jsonPayers } from './payers-file';
import { readPayments } from './payments';
import { csvPayments, jsonPayments } from './payments-file';

export type ReportFormat = 'csv' | 'json';
export const isReportFormat = (text: string | undefined): text is ReportFormat => text === 'csv' || text === 'json';

const TYPES: Readonly<Record<ReportFormat, string>> = { csv: 'text/csv', json: 'application/json' };

/** The download of the payments of a month or of days. Throws as `downloadStatement` does. */
export async function downloadPayments(
  context: Context,
  of: StatementScope,
  format: ReportFormat,
  query: URLSearchParams,
): Promise<Response> {
  const given = parametersOf(query);
  refuseUnknownParameters(given, 'statements');
  const period = periodOf(readStatementFilters(given), context.clock.now());
  const write = { csv: csvPayments, json: jsonPayments }[format];
  const pieces = await begun(readPayments(context, of, period));
  const chunks = await begun(write(headOf(context, of, period), pieces));
  const name = `payments-${of.environment}-${daysOf(period)}.${format}`;
  return fileResponse({ name, type: TYPES[format] }, chunks);
}

/** The download of a year (`year=2026`) by payer and token. Throws as `downloadStatement` does. */
export async function downloadPayers(
  context: Context,
  of: StatementScope,
  format: ReportFormat,
  query: URLSearchParams,
): Promise<Response> {
  const given = parametersOf(query);
  refuseUnknownParameters(given, 'payers');
  const year = readYear(given);
  const write = { csv: csvPayers, json: jsonPayers }[format];
  const pages = await begun(readPayers(context, of, year));
  const chunks = await begun(write(headOf(context, of, year), pages));
  const name = `payers-${of.environment}-${year.from.getUTCFullYear()}.${format}`;
  return fileResponse({ name, type: TYPES[format] }, chunks);
}

function headOf(context: Context, of: StatementScope, period: Period): StatementHead {
  const now = context.clock.now();
  const decimalsOf = remembered(decimalsIn(context.config, of.environment));
  return { ...of, period, end: period.to > now ? now : period.to, decimalsOf };
}
