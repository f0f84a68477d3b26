// The product's own invariants (lib/ledger/invariants), all in one statement, so that they can be checked after every step.

import { CURRENCY_CODES, minorDigits } from '@/lib/money/currencies';
import { INVARIANTS } from '@/lib/ledger/invariants/check';
import type { Pool } from '@/lib/platform/database/db';

const QUERIES = INVARIANTS.map(({ id, query }) => `SELECT '${id}' AS id, violation::text FROM (${query}) AS found`);
const CHECK = { name: 'simulation-invariants', text: QUERIES.join('\nUNION ALL ') };
const DIGITS = JSON.stringify(Object.fromEntries(CURRENCY_CODES.map((code) => [code, minorDigits(code)])));

/** One sentence for each violation. */
export async function brokenInvariants(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; violation: string }>({ ...CHECK, values: [DIGITS] });
  return rows.map(
    ({ id, violation }) => `${id} (${INVARIANTS.find((one) => one.id === id)?.statement ?? ''}): ${violation}`,
  );
}
