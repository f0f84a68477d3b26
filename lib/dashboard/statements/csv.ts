// A statement as CSV: rows of one shape for opening balances, lines, closing balances and hashes. The guide
// /docs/statements explains the columns.

import { csvChunks, type Cell } from '@/lib/dashboard/lists/csv';
import type { PartAmount } from '@/lib/ledger/statements/parts';
import type { BalancedLine, StatementPiece } from '@/lib/ledger/statements/statement';
import { amountText, kindText, type StatementHead, type Written } from './amounts';

const COLUMNS = [
  'row',
  'entry',
  'time',
  'kind',
  'description',
  'network',
  'currency',
  'part',
  'in',
  'out',
  'balance',
  'session_id',
  'order_id',
  'refund_id',
  'transaction_hash',
  'hash',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], Cell>>;

export const csvStatement = (head: StatementHead, pieces: AsyncIterable<StatementPiece>): Written =>
  csvChunks(COLUMNS, portions(head, pieces));

async function* portions(head: StatementHead, pieces: AsyncIterable<StatementPiece>) {
  for await (const piece of pieces) yield rowsOf(piece, head).map((row) => COLUMNS.map((name) => row[name] ?? null));
}

function rowsOf(piece: StatementPiece, head: StatementHead): Row[] {
  const { from, to } = head.period;
  switch (piece.kind) {
    case 'opening':
      return piece.balances.map((one) => balanceRow('opening', from, one, head));
    case 'lines':
      return piece.lines.map((line) => lineRow(line, head));
    case 'closing':
      return [
        ...piece.balances.map((one) => balanceRow('closing', to, one, head)),
        ...(piece.hash === null ? [] : [{ row: 'month_hash', hash: piece.hash }]),
        ...(piece.previousHash === null ? [] : [{ row: 'previous_month_hash', hash: piece.previousHash }]),
      ];
    default:
      return piece satisfies never;
  }
}

const balanceRow = (row: 'opening' | 'closing', time: Date, one: PartAmount, { decimalsOf }: StatementHead): Row => ({
  row,
  time: time.toISOString(),
  network: one.network,
  currency: one.currency,
  part: one.part,
  balance: amountText(one, decimalsOf),
});

function lineRow(line: BalancedLine, { decimalsOf }: StatementHead): Row {
  const isIn = line.amount > 0n;
  const amount = amountText({ ...line, amount: isIn ? line.amount : -line.amount }, decimalsOf);
  return {
    row: 'line',
    entry: line.entryId,
    time: line.createdAt.toISOString(),
    kind: line.kind,
    description: kindText(line.kind),
    network: line.network,
    currency: line.currency,
    part: line.part,
    in: isIn ? amount : null,
    out: isIn ? null : amount,
    balance: amountText({ ...line, amount: line.balance }, decimalsOf),
    session_id: line.sessionId,
    order_id: line.orderId,
    refund_id: line.refund && (line.refund.refundId ?? line.refund.id),
    transaction_hash: line.transactionHash,
  };
}
