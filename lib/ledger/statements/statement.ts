// The statement of a store for a period: opening balances, every line of the ledger, closing balances. All of it is read
// from one snapshot, so opening plus lines is closing. A statement of a closed month that disagrees with its hash, or one up
// to now that disagrees with the ledger's balances, throws before it is complete.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { openFingerprint } from './fingerprint';
import { readLines, type StatementLine } from './lines';
import { readClosedMonth } from './months';
import { Balances, isSameAmounts, type PartAmount, type StatementScope } from './parts';
import type { Period } from './period';
import { openStatementSnapshot } from './place';
import { readFromPresent, readOpening, SUM_SECONDS } from './totals';

/** `balance`: of the line's part, token and network after the line. */
export type BalancedLine = StatementLine & { readonly balance: bigint };

/** In this order: one opening, any number of pages of lines, one closing. The hash is null while the month is not closed. */
export type StatementPiece =
  | { readonly kind: 'opening'; readonly balances: readonly PartAmount[] }
  | { readonly kind: 'lines'; readonly lines: readonly BalancedLine[] }
  | {
      readonly kind: 'closing';
      readonly balances: readonly PartAmount[];
      readonly hash: string | null;
      readonly previousHash: string | null;
    };

type Deps = Pick<Context, 'pool' | 'log'>;

/**
 * Throws RATE_LIMITED at the first piece if another statement of the store is being read, or if all places are taken. The
 * caller reads to the end or calls `return`, which ends the snapshot.
 */
export async function* readStatement(
  { pool, log }: Deps,
  of: StatementScope,
  period: Period,
): AsyncGenerator<StatementPiece, void, undefined> {
  const { db, end } = await openStatementSnapshot(pool, of);
  try {
    await db.query(`SET LOCAL statement_timeout = '${SUM_SECONDS}s'`);
    const opening = await readOpening(db, of, period.from);
    const closed = period.month === null ? null : await readClosedMonth(db, of, period.month);
    const fingerprint = closed && openFingerprint({ ...of, ...closed });
    const balances = new Balances(opening);
    fingerprint?.opening(opening);
    yield { kind: 'opening', balances: opening };
    for await (const lines of readLines(db, of, period)) {
      fingerprint?.lines(lines);
      yield { kind: 'lines', lines: lines.map((line) => ({ ...line, balance: balances.add(line) })) };
    }
    const closing = balances.list();
    if (closed && fingerprint?.closing(closing) !== closed.hash) {
      const error = new Error('the lines of a closed month have another hash than the recorded one');
      log.error({ err: error, ...of, month: period.month }, 'a statement is refused');
      throw error;
    }
    if (!closed && (await isPresent(db, period)) && !isSameAmounts(closing, await readFromPresent(db, of, period.to))) {
      const error = new Error('a statement does not end with the balances of the ledger');
      log.error({ err: error, ...of, from: period.from, to: period.to }, 'a statement is refused');
      throw error;
    }
    const { hash = null, previousHash = null } = closed ?? {};
    yield { kind: 'closing', balances: closing, hash, previousHash };
  } finally {
    await end();
  }
}

/** Whether the period reaches to now, so that its closing balances are the store's balances. */
async function isPresent(db: Db, { to }: Period): Promise<boolean> {
  const { rows } = await db.query<{ is_present: boolean }>({
    name: 'statement-is-present',
    text: 'SELECT $1::timestamptz > now() AS is_present',
    values: [to],
  });
  return rows[0]?.is_present ?? false;
}
