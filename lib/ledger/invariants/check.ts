// Checks the ledger and the payment tables: each invariant is one query that finds its violations. All queries read one
// snapshot, so a running service can be checked. Used by `npm run check-books` and by the crash tests.

import { CURRENCY_CODES, minorDigits } from '@/lib/money/currencies';
import { allowSeconds, transaction, type Pool, type Tx } from '@/lib/platform/database/db';
import type { Invariant } from './invariant';
import { LEDGER_INVARIANTS } from './ledger';
import { PAYMENT_INVARIANTS } from './payments';
import { REFUND_INVARIANTS } from './refunds';

/** The number of violations, and the first of them. */
export type Finding = Pick<Invariant, 'id' | 'statement'> & {
  readonly count: number;
  readonly violations: readonly string[];
};

/** In the order of their ids. */
export const INVARIANTS: readonly Invariant[] = [
  ...PAYMENT_INVARIANTS,
  ...LEDGER_INVARIANTS,
  ...REFUND_INVARIANTS,
].toSorted((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));

/** Number of violations to report per invariant. */
const MAX_REPORTED = 10;
/** Each query scans whole tables, which takes time on a large database. */
const TIMEOUT_SECONDS = 300;

/** Checks every invariant. Returns one finding each, violated or not. */
export async function checkBooks(pool: Pool): Promise<Finding[]> {
  return transaction(pool, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await allowSeconds(tx, TIMEOUT_SECONDS);
    return findViolations(tx);
  });
}

/** The same within the caller's transaction. */
export async function findViolations(tx: Tx): Promise<Finding[]> {
  const digits = JSON.stringify(Object.fromEntries(CURRENCY_CODES.map((code) => [code, minorDigits(code)])));
  const findings: Finding[] = [];
  for (const { id, statement, query } of INVARIANTS) {
    const { rows } = await tx.query<{ violation: string; total: string }>({
      text: `SELECT violation, count(*) OVER () AS total FROM (${query}) AS found LIMIT ${MAX_REPORTED}`,
      values: query.includes('$1') ? [digits] : [],
    });
    findings.push({
      id,
      statement,
      count: Number(rows[0]?.total ?? 0),
      violations: rows.map(({ violation }) => violation),
    });
  }
  return findings;
}
