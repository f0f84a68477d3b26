// A year by payer and token as CSV and JSON. The last row or field says that the file is complete. The guide /docs/statements says what
// the file is and what it is not.

import { csvChunks, type Cell } from '@/lib/dashboard/lists/csv';
import type { PayerTotal } from './payers';
import { amountText, type StatementHead, type Written } from './amounts';
import { fiatText } from './fiat-value';

/** A year with its groups, as both formats write them. */
function fieldsOf(total: PayerTotal, { decimalsOf }: StatementHead) {
  const { network, token } = total;
  return {
    row: total.kind,
    payer: total.payer,
    customer_name: total.customer_name,
    customer_email: total.customer_email,
    network,
    token,
    transfers: total.transfers,
    units: amountText(BigInt(total.base_units), { network, currency: token }, decimalsOf),
    fiat_currency: total.fiat_currency,
    fiat_value: fiatText(total.fiat_value, total.fiat_currency),
    first_time: total.first_at.toISOString(),
    last_time: total.last_at.toISOString(),
  };
}

const COLUMNS = [
  'year',
  'row',
  'payer',
  'customer_name',
  'customer_email',
  'network',
  'token',
  'transfers',
  'units',
  'fiat_currency',
  'fiat_value',
  'first_time',
  'last_time',
] as const;

const yearOf = ({ period }: StatementHead): string => period.from.toISOString().slice(0, 4);

export const csvPayers = (head: StatementHead, pages: AsyncIterable<readonly PayerTotal[]>): Written =>
  csvChunks(COLUMNS, rowsOf(head, pages));

async function* rowsOf(head: StatementHead, pages: AsyncIterable<readonly PayerTotal[]>) {
  const year = yearOf(head);
  const row = (given: Readonly<Partial<Record<(typeof COLUMNS)[number], Cell>>>): Cell[] =>
    COLUMNS.map((name) => (name === 'year' ? year : (given[name] ?? null)));
  for await (const totals of pages) yield totals.map((total) => row(fieldsOf(total, head)));
  yield [row({ row: 'complete', last_time: head.end.toISOString() })];
}

export async function* jsonPayers(head: StatementHead, pages: AsyncIterable<readonly PayerTotal[]>): Written {
  const about = {
    store_id: head.storeId,
    environment: head.environment,
    year: yearOf(head),
    as_of: head.end.toISOString(),
  };
  yield `${JSON.stringify(about).slice(0, -1)},\n"payers":[`;
  let number = 0;
  for await (const totals of pages) {
    const text = totals
      .map((total) => JSON.stringify({ ...fieldsOf(total, head), base_units: total.base_units }))
      .join(',\n');
    if (text !== '') yield `${number === 0 ? '' : ','}\n${text}`;
    number += totals.length;
  }
  yield `\n],\n"number":${number}}\n`;
}
