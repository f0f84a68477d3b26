// Balances of a store at a time, for the first and the last row of a statement.

import type { Db } from '@/lib/platform/database/db';
import { readClosedBefore } from './months';
import {
  accountsOf,
  Balances,
  isNotZero,
  partAmounts,
  type AccountSum,
  type PartAmount,
  type StatementScope,
} from './parts';

/** What one of these sums may take: of a large store without a closed month, or over all that was posted since a month. */
export const SUM_SECONDS = 60;

/** Before the first entry. */
const BEGINNING = new Date(0);

/**
 * The balances before `at`: those at the end of the last closed month plus the postings since, so that the cost does not
 * grow with the age of the store.
 */
export async function readOpening(db: Db, of: StatementScope, at: Date): Promise<PartAmount[]> {
  const closed = await readClosedBefore(db, of, at);
  const parts = accountsOf(of.storeId);
  const { rows } = await db.query<AccountSum>({
    name: 'statement-opening',
    text: `SELECT p.account, p.network, p.currency, sum(p.amount)::text AS amount
           FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
           WHERE e.store_id = $1 AND e.environment = $2::"Environment" AND e.created_at >= $3 AND e.created_at < $4
             AND p.account = ANY ($5) GROUP BY 1, 2, 3`,
    values: [of.storeId, of.environment, closed?.end ?? BEGINNING, at, Object.keys(parts)],
  });
  const balances = new Balances(closed?.closing ?? []);
  for (const moved of partAmounts(rows, parts)) balances.add(moved);
  return balances.list().filter(isNotZero);
}

/**
 * The balances before `at` by the other way: the ledger's present balances less what was posted since. One statement, so
 * both are of one moment.
 */
export async function readFromPresent(
  db: Db,
  { storeId, environment }: StatementScope,
  at: Date,
): Promise<PartAmount[]> {
  const parts = accountsOf(storeId);
  const { rows } = await db.query<AccountSum>({
    name: 'statement-from-present',
    text: `SELECT account, network, currency, sum(amount)::text AS amount FROM (
             SELECT account, network, currency, amount FROM ledger_balances
             WHERE environment = $2::"Environment" AND account = ANY ($4)
             UNION ALL SELECT p.account, p.network, p.currency, -p.amount
             FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
             WHERE e.store_id = $1 AND e.environment = $2::"Environment" AND e.created_at >= $3 AND p.account = ANY ($4)) AS one
           GROUP BY 1, 2, 3 HAVING sum(amount) <> 0`,
    values: [storeId, environment, at, Object.keys(parts)],
  });
  return partAmounts(rows, parts);
}
