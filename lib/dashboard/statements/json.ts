// A statement as one JSON object, with a line of text for each line of the statement. It has base units too, so that a
// program needs no token decimals and can compute the hash of the month again (guide /docs/statements).

import type { PartAmount } from '@/lib/ledger/statements/parts';
import type { BalancedLine, StatementPiece } from '@/lib/ledger/statements/statement';
import { amountText, kindText, lastDay, type StatementHead, type Written } from './amounts';

export async function* jsonStatement(head: StatementHead, pieces: AsyncIterable<StatementPiece>): Written {
  const { storeId, environment, period, end, decimalsOf } = head;
  const balances = (list: readonly PartAmount[]): string =>
    JSON.stringify(
      list.map(({ amount, ...of }) => ({
        ...of,
        balance: amountText(amount, of, decimalsOf),
        base_units: amount.toString(),
      })),
    );
  const about = {
    store_id: storeId,
    environment,
    month: period.month,
    from: period.from.toISOString().slice(0, 10),
    to: lastDay(period.to),
    as_of: end.toISOString(),
  };
  let isFirst = true;
  for await (const piece of pieces) {
    switch (piece.kind) {
      case 'opening':
        yield `${JSON.stringify(about).slice(0, -1)},\n"opening":${balances(piece.balances)},\n"lines":[`;
        break;
      case 'lines': {
        const text = piece.lines.map((line) => JSON.stringify(lineOf(line, head))).join(',\n');
        if (text !== '') yield `${isFirst ? '' : ','}\n${text}`;
        isFirst &&= text === '';
        break;
      }
      case 'closing': {
        const hashes = { month_hash: piece.hash, previous_month_hash: piece.previousHash };
        yield `\n],\n"closing":${balances(piece.balances)},\n${JSON.stringify(hashes).slice(1)}\n`;
        break;
      }
      default:
        return piece satisfies never;
    }
  }
}

const lineOf = (line: BalancedLine, { decimalsOf }: StatementHead) => ({
  entry: line.entryId,
  time: line.createdAt.toISOString(),
  kind: line.kind,
  description: kindText(line.kind),
  network: line.network,
  currency: line.currency,
  part: line.part,
  amount: amountText(line.amount, line, decimalsOf),
  base_units: line.amount.toString(),
  balance: amountText(line.balance, line, decimalsOf),
  session_id: line.sessionId,
  order_id: line.orderId,
  refund: line.refund && { id: line.refund.id, refund_id: line.refund.refundId },
  payout: line.payout && { id: line.payout.id, payout_id: line.payout.payoutId },
  transaction_hash: line.transactionHash,
});
