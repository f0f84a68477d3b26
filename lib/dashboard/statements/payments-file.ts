// The payments of a period as CSV and JSON. Both say the same. Their last row or field says that the file is complete and repeats
// the hash of a closed month. The guide /docs/statements explains the columns.

import { baseUnitsToCents, centsToText } from '@/lib/money/amounts';
import { csvChunks, type Cell } from '@/lib/dashboard/lists/csv';
import { receiptNumberText } from '@/lib/payments/receipts/number';
import type { PaymentLine, PaymentPiece } from './payments';
import { amountText, lastDay, type StatementHead, type Written } from './amounts';
import { fiatText } from './fiat-value';

type Fields = ReturnType<typeof fieldsOf>;

/** The columns of a payment, in the order of the file. Null where the service has no value. */
function fieldsOf(line: PaymentLine, { decimalsOf }: StatementHead) {
  const asset = { network: line.network ?? '', currency: line.token ?? '' };
  const decimals = line.decimals ?? decimalsOf(asset);
  const tokens = (units: string): string => amountText(BigInt(units), asset, () => decimals);
  const currency = line.currency ?? '';
  const fiat = (units: string | null): string | null => units && fiatText(units, currency);
  return {
    entry: line.id,
    time: line.created_at.toISOString(),
    block_time: isoTime(line.block_time),
    session_id: line.session_id,
    order_id: line.order_id,
    description: line.description,
    status: line.status,
    exception: line.exception,
    payment_exception: line.case_kind,
    decision: line.case_state,
    network: line.network,
    token: line.token,
    amount: tokens(line.amount ?? '0'),
    amount_cents: baseUnitsToCents(BigInt(line.amount ?? '0'), decimals).toString(),
    transaction_hash: line.transaction_hash,
    sender: line.payer,
    deposit_address: line.recipient,
    fiat_currency: currency,
    fiat_value: fiat(line.fiat_value),
    exchange_rate: line.exchange_rate,
    rate_fixed_at: line.rate_basis && isoTime(line.rate_fixed_at),
    credited: tokens(line.credited),
    refunded: centsToText(BigInt(line.refunded)),
    network_cost: centsToText(BigInt(line.network_cost)),
    order_total: fiat(line.amount_total),
    order_tax: fiat(line.tax_amount),
    order_shipping: fiat(line.shipping_amount),
    receipt_number: receiptNumberOf(line),
  };
}

const receiptNumberOf = ({
  environment,
  receipt_series: series,
  receipt_number: number,
}: PaymentLine): string | null =>
  environment && series !== null && number !== null ? receiptNumberText({ environment, series, number }) : null;

const isoTime = (time: Date | null): string | null => time && time.toISOString();

const FIELDS = [
  'entry',
  'time',
  'block_time',
  'session_id',
  'order_id',
  'description',
  'status',
  'exception',
  'payment_exception',
  'decision',
  'network',
  'token',
  'amount',
  'amount_cents',
  'transaction_hash',
  'sender',
  'deposit_address',
  'fiat_currency',
  'fiat_value',
  'exchange_rate',
  'rate_fixed_at',
  'credited',
  'refunded',
  'network_cost',
  'order_total',
  'order_tax',
  'order_shipping',
  'receipt_number',
] as const satisfies readonly (keyof Fields)[];
const COLUMNS = ['row', ...FIELDS, 'rate_spread', 'rate_sources', 'metadata', 'payments', 'hash'];

export const csvPayments = (head: StatementHead, pieces: AsyncIterable<PaymentPiece>): Written =>
  csvChunks(COLUMNS, rowsOf(head, pieces));

async function* rowsOf(head: StatementHead, pieces: AsyncIterable<PaymentPiece>) {
  let payments = 0;
  for await (const piece of pieces) {
    switch (piece.kind) {
      case 'lines':
        payments += piece.lines.length;
        yield piece.lines.map((line) => csvRow(line, head));
        break;
      case 'end':
        yield [
          closingRow('complete', { time: head.end.toISOString(), payments }),
          ...(piece.hash === null ? [] : [closingRow('month_hash', { hash: piece.hash })]),
          ...(piece.previousHash === null ? [] : [closingRow('previous_month_hash', { hash: piece.previousHash })]),
        ];
        break;
      default:
        piece satisfies never;
    }
  }
}

const closingRow = (row: string, given: Readonly<Record<string, Cell>>): Cell[] =>
  COLUMNS.map((name) => (name === 'row' ? row : (given[name] ?? null)));

function csvRow(line: PaymentLine, head: StatementHead): Cell[] {
  const fields = fieldsOf(line, head);
  const basis = line.rate_basis;
  return [
    'payment',
    ...FIELDS.map((name) => fields[name]),
    basis && basis.spread_basis_points,
    basis &&
      basis.observations
        .map((one) => `${one.source} ${one.currency} ${one.price} per ${one.per} ${one.source_time}`)
        .join('; '),
    line.metadata && JSON.stringify(line.metadata),
    null,
    null,
  ];
}

export async function* jsonPayments(head: StatementHead, pieces: AsyncIterable<PaymentPiece>): Written {
  const { storeId, environment, period, end } = head;
  const about = {
    store_id: storeId,
    environment,
    month: period.month,
    from: period.from.toISOString().slice(0, 10),
    to: lastDay(period.to),
    as_of: end.toISOString(),
  };
  let payments = 0;
  yield `${JSON.stringify(about).slice(0, -1)},\n"payments":[`;
  for await (const piece of pieces) {
    switch (piece.kind) {
      case 'lines': {
        const text = piece.lines.map((line) => JSON.stringify(jsonLine(line, head))).join(',\n');
        if (text !== '') yield `${payments === 0 ? '' : ','}\n${text}`;
        payments += piece.lines.length;
        break;
      }
      case 'end': {
        const foot = { number: payments, month_hash: piece.hash, previous_month_hash: piece.previousHash };
        yield `\n],\n${JSON.stringify(foot).slice(1)}\n`;
        break;
      }
      default:
        piece satisfies never;
    }
  }
}

const jsonLine = (line: PaymentLine, head: StatementHead) => ({
  ...fieldsOf(line, head),
  base_units: line.amount,
  credited_base_units: line.credited,
  rate_basis: line.rate_basis,
  metadata: line.metadata,
});
