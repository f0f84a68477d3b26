// The months of a store: those that are closed with their hashes, and those whose statement can still grow.

import type { Db } from '@/lib/platform/database/db';
import { PARTS, type Part, type PartAmount, type StatementScope } from './parts';
import { monthPeriod, monthsBetween } from './period';

/** A closed month. `end`: the first moment after it. */
export type ClosedMonth = {
  readonly month: string;
  readonly end: Date;
  readonly lines: bigint;
  readonly hash: string;
  readonly previousHash: string | null;
  readonly closing: readonly PartAmount[];
};

type Row = {
  month: string;
  lines: string;
  hash: string;
  previous_hash: string | null;
  closing: readonly { network: string; currency: string; part: string; amount: string }[];
};

const COLUMNS = `to_char(month, 'YYYY-MM') AS month, lines, hash, previous_hash, closing`;

/** The last closed month that ends at or before a time; null if there is none. */
export async function readClosedBefore(
  db: Db,
  { storeId, environment }: StatementScope,
  at: Date,
): Promise<ClosedMonth | null> {
  const { rows } = await db.query<Row>({
    name: 'statement-closed-before',
    text: `SELECT ${COLUMNS} FROM statement_months WHERE store_id = $1 AND environment = $2::"Environment"
             AND month <= $3::timestamptz - interval '1 month' ORDER BY statement_months.month DESC LIMIT 1`,
    values: [storeId, environment, at],
  });
  return rows[0] ? closedMonth(rows[0]) : null;
}

/** Null while the month is not closed, and for a month without lines. */
export async function readClosedMonth(
  db: Db,
  { storeId, environment }: StatementScope,
  month: string,
): Promise<ClosedMonth | null> {
  const { rows } = await db.query<Row>({
    name: 'statement-closed-month',
    text: `SELECT ${COLUMNS} FROM statement_months
           WHERE store_id = $1 AND environment = $2::"Environment" AND month = ($3 || '-01')::date`,
    values: [storeId, environment, month],
  });
  return rows[0] ? closedMonth(rows[0]) : null;
}

/** A month that a merchant can choose. `hash` is null until it is closed. */
export type OfferedMonth = { readonly month: string; readonly hash: string | null };

/** The last months with activity, the newest first and at most `most`. Empty for a store without any. */
export async function listMonths(
  db: Db,
  { storeId, environment }: StatementScope,
  most: number,
): Promise<readonly OfferedMonth[]> {
  const { rows } = await db.query<{ month: string; hash: string | null }>({
    name: 'statement-months',
    text: `SELECT * FROM (SELECT to_char(month, 'YYYY-MM') AS month, hash FROM statement_months
             WHERE store_id = $1 AND environment = $2::"Environment" ORDER BY statement_months.month DESC LIMIT $3) AS closed
           UNION ALL SELECT to_char(at, 'YYYY-MM'), NULL FROM (
             (SELECT created_at AS at FROM ledger_entries WHERE store_id = $1 AND environment = $2::"Environment"
                AND created_at >= coalesce((SELECT max(month) + interval '1 month' FROM statement_months
                  WHERE store_id = $1 AND environment = $2::"Environment"), '-infinity') ORDER BY created_at, id LIMIT 1)
             UNION ALL (SELECT created_at FROM ledger_entries WHERE store_id = $1 AND environment = $2::"Environment"
                ORDER BY created_at DESC, id DESC LIMIT 1)) AS entry`,
    values: [storeId, environment, most],
  });
  const closed = rows.filter((row) => row.hash !== null);
  const newestClosed = closed[0]?.month ?? '';
  const open = rows
    .filter(({ month, hash }) => hash === null && month > newestClosed)
    .map(({ month }) => month)
    .toSorted();
  const [first, last] = [open[0], open.at(-1)];
  const shown = first === undefined || last === undefined ? [] : monthsBetween(first, last, most);
  return [...shown.map((month) => ({ month, hash: null })), ...closed].slice(0, most);
}

const isPart = (text: string): text is Part => PARTS.some((part) => part === text);

function closedMonth({ month, lines, hash, previous_hash: previousHash, closing }: Row): ClosedMonth {
  const period = monthPeriod(month);
  if (!period) throw new Error(`${month} is not a month`);
  return {
    ...{ month, hash, previousHash, end: period.to, lines: BigInt(lines) },
    closing: closing.map(({ network, currency, part, amount }) => {
      if (!isPart(part)) throw new Error(`${part} is no part of a statement`);
      return { network, currency, part, amount: BigInt(amount) };
    }),
  };
}
