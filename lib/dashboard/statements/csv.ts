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
  'payout_id',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], Cell>>;

export const csvStatement = (head: StatementHead, pieces: AsyncIterable<StatementPiece>): Written =>
  csvChunks(COLUMNS, portions(head, pieces));

async function* portions(head: StatementHead, pieces: AsyncIterable<StatementPiece>) {
  for await (const piece of pieces) yield cellsOf(piece, head);
}

function cellsOf(piece: StatementPiece, head: StatementHead): (readonly Cell[])[] {
  const { end, period } = head;
  switch (piece.kind) {
    case 'opening':
      return piece.balances.map((one) => cells(balanceRow('opening', period.from, one, head)));
    case 'lines':
      return piece.lines.map((line) => lineCells(line, head));
    case 'closing':
      return [
        ...piece.balances.map((one) => balanceRow('closing', end, one, head)),
        ...(piece.hash === null ? [] : [{ row: 'month_hash', hash: piece.hash }]),
        ...(piece.previousHash === null ? [] : [{ row: 'previous_month_hash', hash: piece.previousHash }]),
      ].map(cells);
    default:
      return piece satisfies never;
  }
}

const cells = (row: Row): Cell[] => COLUMNS.map((name) => row[name] ?? null);

const balanceRow = (row: 'opening' | 'closing', time: Date, one: PartAmount, { decimalsOf }: StatementHead): Row => ({
  row,
  time: time.toISOString(),
  network: one.network,
  currency: one.currency,
  part: one.part,
  balance: amountText(one.amount, one, decimalsOf),
});

/** In the order of COLUMNS. */
function lineCells(line: BalancedLine, { decimalsOf }: StatementHead): Cell[] {
  const isIn = line.amount > 0n;
  const amount = amountText(isIn ? line.amount : -line.amount, line, decimalsOf);
  return [
    'line',
    line.entryId,
    line.createdAt.toISOString(),
    line.kind,
    kindText(line.kind),
    line.network,
    line.currency,
    line.part,
    isIn ? amount : null,
    isIn ? null : amount,
    amountText(line.balance, line, decimalsOf),
    line.sessionId,
    line.orderId,
    line.refund && (line.refund.refundId ?? line.refund.id),
    line.transactionHash,
    null,
    line.payout && (line.payout.payoutId ?? line.payout.id),
  ];
}
