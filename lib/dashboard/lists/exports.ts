// The lists as files: the same statements and filters as the pages, read page by page to the end.

import type { Context } from '@/lib/platform/context';
import { csvResponse, type Cell, type Portions } from './csv';
import { parametersOf, readDates, readPaymentFilters, readRefundFilters, refuseUnknownParameters } from './filters';
import { readCursor, type Page, type PageRequest } from './keyset';
import { listPayments, type PaymentRow, type StoreScope } from './payments';
import { listStoreRefunds, type RefundRow } from './refunds';
import { listStatement, type StatementEntry } from './statement';

/** Rows in memory at once. */
const PORTION_ROWS = 1000;

export type ExportKind = 'payments' | 'refunds' | 'statement';
export const EXPORT_KINDS: readonly ExportKind[] = ['payments', 'refunds', 'statement'];

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** The file. Throws INVALID_PARAMETER for unknown or invalid filters. */
export function exportList(context: Deps, of: StoreScope, kind: ExportKind, query: URLSearchParams): Response {
  const given = parametersOf(query);
  refuseUnknownParameters(given, kind);
  const day = context.clock.now().toISOString().slice(0, 10);
  const name = `${kind}-${of.environment}-${day}.csv`;
  switch (kind) {
    case 'payments': {
      const filters = readPaymentFilters(given);
      return csvResponse(
        name,
        PAYMENT_HEAD,
        portions((pageRequest) => listPayments(context, of, filters, pageRequest), paymentLine),
      );
    }
    case 'refunds': {
      const filters = readRefundFilters(given);
      return csvResponse(
        name,
        REFUND_HEAD,
        portions((pageRequest) => listStoreRefunds(context, of, filters, pageRequest), refundLine),
      );
    }
    case 'statement': {
      const dates = readDates(given);
      return csvResponse(
        name,
        STATEMENT_HEAD,
        portions((pageRequest) => listStatement(context, of, dates, pageRequest), statementLines),
      );
    }
  }
}

async function* portions<Row>(
  read: (pageRequest: PageRequest) => Promise<Page<Row>>,
  linesOf: (row: Row) => readonly (readonly Cell[])[],
): Portions {
  for (let after: PageRequest['after'] = null; ;) {
    const page: Page<Row> = await read({ after, before: null, limit: PORTION_ROWS });
    yield page.rows.flatMap(linesOf);
    if (page.older === null) return;
    after = readCursor(page.older);
  }
}

const time = (at: Date | null): Cell => at && at.toISOString();

const PAYMENT_HEAD = [
  'session_id',
  'order_id',
  'status',
  'exception',
  'amount',
  'currency',
  'paid_amount',
  'paid_currency',
  'network',
  'refunded_amount',
  'created_at',
  'closed_at',
];
const paymentLine = (row: PaymentRow): Cell[][] => [
  [
    row.id,
    row.orderId,
    row.status,
    row.exception,
    row.amount,
    row.currency,
    row.paid && row.paid.amount,
    row.paid && row.paid.currency,
    row.paid && row.paid.network,
    row.refunded,
    time(row.createdAt),
    time(row.closedAt),
  ],
];

const REFUND_HEAD = [
  'refund_id',
  'session_id',
  'order_id',
  'status',
  'amount',
  'currency',
  'network',
  'hold',
  'reason',
  'transaction_hash',
  'receipt_number',
  'created_at',
  'processed_at',
  'network_cost',
];
const refundLine = (row: RefundRow): Cell[][] => [
  [
    row.refundId,
    row.sessionId,
    row.orderId,
    row.status,
    row.amount,
    row.currency,
    row.network,
    row.hold,
    row.reason,
    row.transactionHash,
    row.receiptNumber,
    time(row.createdAt),
    time(row.processedAt),
    row.networkCost,
  ],
];

const STATEMENT_HEAD = [
  'entry',
  'time',
  'kind',
  'balance',
  'network',
  'currency',
  'in',
  'out',
  'session_id',
  'order_id',
  'refund_id',
];
const statementLines = (entry: StatementEntry): Cell[][] =>
  entry.lines.map(({ part, network, currency, isIn, amount }) => [
    entry.id,
    time(entry.createdAt),
    entry.kind,
    part,
    network,
    currency,
    isIn ? amount : null,
    isIn ? null : amount,
    entry.sessionId,
    entry.orderId,
    entry.refund && entry.refund.refundId,
  ]);
