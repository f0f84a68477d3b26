// A statement as a journal of hledger: a balanced transaction for each entry, and balance assertions at the end, so that
// hledger itself checks the closing balances. The opening balances are assigned and not added: a file can be read alone or
// after the files of earlier months.

import { COMMON_DECIMALS, toCommon } from '@/lib/money/amounts';
import { tokenText } from '@/lib/dashboard/payment/payment';
import type { PartAmount } from '@/lib/ledger/statements/parts';
import type { BalancedLine, StatementPiece } from '@/lib/ledger/statements/statement';
import type { EntryKind } from '@/lib/dashboard/lists/statement';
import { amountText, kindText, lastDay, type StatementHead, type Written } from './amounts';

/** The account on the other side of what enters or leaves the store's money. Moves between its parts need none. */
const OTHER_SIDE: Partial<Record<EntryKind, string>> = {
  transfer: 'Income:Stabletill:Payments',
  refund_paid: 'Expenses:Stabletill:Refunds',
  refund_converted: 'Equity:Stabletill:Conversion',
  refund_released: 'Equity:Stabletill:Conversion',
  refund_cost_settled: 'Expenses:Stabletill:NetworkCosts',
  payout_paid: 'Assets:Stabletill:PaidOut',
  payout_fee: 'Expenses:Stabletill:PayoutFees',
};
const OTHERWISE = 'Equity:Stabletill:Other';
const OPENING = 'Equity:Stabletill:Opening';

export async function* journalStatement(head: StatementHead, pieces: AsyncIterable<StatementPiece>): Written {
  const { storeId, environment, period, end } = head;
  const [from, to] = [dayOf(period.from), lastDay(period.to)];
  for await (const piece of pieces) {
    switch (piece.kind) {
      case 'opening':
        yield `; hledger journal: statement of ${storeId}, ${environment}, ${from} to ${to} (UTC)\ndecimal-mark .\n\n`;
        if (piece.balances.length > 0)
          yield transaction(`${from} * Opening balance`, [
            ...piece.balances.map((one) => `${accountOf(one)}  = ${money(one, head)}`),
            OPENING,
          ]);
        break;
      case 'lines':
        yield byEntry(piece.lines)
          .map((lines) => entryText(lines, head))
          .join('');
        break;
      case 'closing':
        if (piece.balances.length > 0)
          yield transaction(
            `${lastDay(end)} * Closing balance`,
            piece.balances.map((one) => `${accountOf(one)}  0 ${one.currency} = ${money(one, head)}`),
          );
        yield `; complete\n${comment('month_hash', piece.hash)}${comment('previous_month_hash', piece.previousHash)}`;
        break;
      default:
        return piece satisfies never;
    }
  }
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
const comment = (name: string, value: string | null): string => (value === null ? '' : `; ${name}:${value}\n`);

/** Account names that Beancount accepts too. */
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const accountOf = ({ network, part }: Pick<PartAmount, 'network' | 'part'>): string =>
  `Assets:Stabletill:${capital(network)}:${capital(part)}`;
const money = (one: PartAmount, { decimalsOf }: StatementHead): string =>
  `${amountText(one.amount, one, decimalsOf)} ${one.currency}`;

const transaction = (head: string, postings: readonly string[]): string =>
  `${[head, ...postings.map((one) => `    ${one}`)].join('\n')}\n\n`;

/** Lines of one entry follow each other. */
function byEntry(lines: readonly BalancedLine[]): BalancedLine[][] {
  const entries: BalancedLine[][] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    if (last?.[0]?.entryId === line.entryId) last.push(line);
    else entries.push([line]);
  }
  return entries;
}

function entryText(lines: readonly BalancedLine[], head: StatementHead): string {
  const [first] = lines;
  if (!first) return '';
  const tags = [
    ['time', first.createdAt.toISOString()],
    ['session', first.sessionId],
    ['order', first.orderId],
    ['refund', first.refund && (first.refund.refundId ?? first.refund.id)],
    ['payout', first.payout && (first.payout.payoutId ?? first.payout.id)],
    ['transaction', first.transactionHash],
  ].flatMap(([name, value]) => (value ? [`${name}:${tagValue(value)}`] : []));
  const other = OTHER_SIDE[first.kind as EntryKind] ?? OTHERWISE;
  return transaction(`${dayOf(first.createdAt)} * (${first.entryId}) ${kindText(first.kind)}  ; ${tags.join(', ')}`, [
    ...lines.map((line) => `${accountOf(line)}  ${money(line, head)}`),
    ...netOf(lines, head).map(({ currency, amount }) => `${other}  ${commonText(-amount)} ${currency}`),
  ]);
}

/** A comma or the end of the line ends a tag. */
const tagValue = (text: string): string => text.replaceAll(/[\p{C}\p{Z},]+/gu, ' ').trim();

/** What the entry adds to the store's money as a whole, by token: in the journal a token is one commodity on all networks. */
function netOf(lines: readonly BalancedLine[], { decimalsOf }: StatementHead) {
  const sums = new Map<string, bigint>();
  for (const line of lines)
    sums.set(line.currency, (sums.get(line.currency) ?? 0n) + toCommon(line.amount, decimalsOf(line)));
  return [...sums].map(([currency, amount]) => ({ currency, amount })).filter(({ amount }) => amount !== 0n);
}

const commonText = (amount: bigint): string =>
  amount < 0n ? `-${tokenText(-amount, COMMON_DECIMALS)}` : tokenText(amount, COMMON_DECIMALS);
