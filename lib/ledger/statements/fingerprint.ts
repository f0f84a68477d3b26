// The hash of a store's month: SHA-256 over a text that follows from the ledger alone, so that anyone with the lines can
// compute it again. docs/decisions/0015-months-are-closed-by-a-hash.md shows the text. It begins with the hash of the store's month
// before, so no earlier month can change without changing every later hash.

import { createHash } from 'node:crypto';
import type { StatementLine } from './lines';
import { isNotZero, type PartAmount, type StatementScope } from './parts';

/** Changes with the text below. A recorded hash stays what it was. */
const FORMAT = 'statement/1';

export type MonthToHash = StatementScope & { readonly month: string; readonly previousHash: string | null };

/** Feed it the opening balances, all lines in order, and the closing balances. */
export function openFingerprint({ storeId, environment, month, previousHash }: MonthToHash) {
  const hash = createHash('sha256');
  const balances = (word: string, amounts: readonly PartAmount[]): void => {
    for (const { network, currency, part, amount } of amounts.filter(isNotZero))
      hash.update(`${word} ${network} ${currency} ${part} ${amount}\n`);
  };
  hash.update(`${FORMAT} ${storeId} ${environment} ${month} ${previousHash ?? '-'}\n`);
  return {
    opening: (amounts: readonly PartAmount[]): void => balances('opening', amounts),
    lines: (lines: readonly StatementLine[]): void => void hash.update(lines.map(lineText).join('')),
    /** The hash in hexadecimal. */
    closing: (amounts: readonly PartAmount[]): string => {
      balances('closing', amounts);
      return hash.digest('hex');
    },
  };
}

/** Facts of the ledger only: what a line is named for people may change. */
const lineText = (line: StatementLine): string =>
  `line ${line.entryId} ${line.createdAt.toISOString()} ${line.kind} ${line.sessionId ?? '-'} ${line.refund?.id ?? line.payout?.id ?? '-'}` +
  ` ${line.network} ${line.currency} ${line.part} ${line.amount}\n`;
