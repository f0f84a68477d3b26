// A year of a store by payer and token: what each wallet paid, and what was refunded to it. PostgreSQL adds up in one snapshot and a
// cursor returns the groups, so memory does not grow with the payers. Payments are those of the year's payment exports.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { refundAccount } from '@/lib/ledger/postings';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import type { Period } from '@/lib/ledger/statements/period';
import { openStatementSnapshot } from '@/lib/ledger/statements/place';
import { fiatValueSql } from './fiat-value';

/** One payer, as far as it is known, in one token on one network and one currency of orders. */
export type PayerTotal = {
  kind: 'payment' | 'refund';
  /** The sender of payments, or the receiver of refunds. */
  payer: string;
  /** What the merchant sent with the sessions, in the metadata `customer_name` and `customer_email`. */
  customer_name: string | null;
  customer_email: string | null;
  network: string;
  token: string;
  fiat_currency: string;
  transfers: string;
  base_units: string;
  /** Minor units of `fiat_currency`. */
  fiat_value: string;
  first_at: Date;
  last_at: Date;
};

/** Groups in memory at once. */
const PAGE_GROUPS = 1000;
/** Adding up millions of transfers before the first group. */
const SUM_SECONDS = 240;

/** Pages of groups, sorted by payer. Throws RATE_LIMITED at the first page, as `readStatement`. */
export async function* readPayers(
  { pool }: Pick<Context, 'pool'>,
  of: StatementScope,
  { from, to }: Pick<Period, 'from' | 'to'>,
): AsyncGenerator<readonly PayerTotal[], void, undefined> {
  const { db, end } = await openStatementSnapshot(pool, of);
  try {
    await db.query(`SET LOCAL statement_timeout = '${SUM_SECONDS}s'`);
    await db.query(`DECLARE payers NO SCROLL CURSOR FOR ${PAYERS}`, [
      of.storeId,
      of.environment,
      from,
      to,
      refundAccount(of.storeId),
    ]);
    for (let isMore = true; isMore;) {
      const groups = await fetchPage(db);
      isMore = groups.length === PAGE_GROUPS;
      yield groups;
    }
  } finally {
    await end();
  }
}

const fetchPage = async (db: Db): Promise<PayerTotal[]> =>
  (await db.query<PayerTotal>(`FETCH ${PAGE_GROUPS} FROM payers`)).rows;

const IN_YEAR = `e.store_id = $1 AND e.environment = $2::"Environment" AND e.created_at >= $3 AND e.created_at < $4`;
const CUSTOMER = `s.metadata->>'customer_name' AS customer_name, s.metadata->>'customer_email' AS customer_email`;
const SUMS = (units: string, value: string): string => `count(*)::text AS transfers, sum(${units})::text AS base_units,
    sum(${value})::text AS fiat_value, min(e.created_at) AS first_at, max(e.created_at) AS last_at`;

const PAYERS = `
  SELECT 'payment' AS kind, t.payer, ${CUSTOMER}, t.network, t.currency AS token, s.currency AS fiat_currency,
    ${SUMS('t.amount', fiatValueSql('t.amount', 't.decimals'))}
  FROM ledger_entries e JOIN transfers t ON t.id = e.transfer_id JOIN sessions s ON s.id = e.session_id
  WHERE ${IN_YEAR} AND e.kind = 'transfer' GROUP BY 1, 2, 3, 4, 5, 6, 7
  UNION ALL
  SELECT 'refund', coalesce(r.destination, ''), ${CUSTOMER}, p.network, p.currency, s.currency,
    ${SUMS('p.amount', fiatValueSql('r.amount', '2'))}
  FROM ledger_entries e JOIN refunds r ON r.id = e.intent_id JOIN sessions s ON s.id = r.session_id
    JOIN ledger_postings p ON p.entry_id = e.id AND p.account = $5
  WHERE ${IN_YEAR} AND e.kind = 'refund_paid' GROUP BY 1, 2, 3, 4, 5, 6, 7
  ORDER BY 2, 3, 4, 5, 6, 7, 1`;
