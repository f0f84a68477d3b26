// The number that a receipt gets when it is first issued: without gaps by store, environment and series, never given twice, and never
// changed. It comes with the seller's details of that moment. docs/decisions/0018 says why it is not assigned on completion.

import type { Context } from '@/lib/platform/context';
import { unixSeconds } from '@/lib/platform/clock';
import type { Environment } from '@/lib/platform/ids';

/** The number as receipts show it, and who sold. `at`: Unix seconds at which it was issued. */
export type IssuedReceipt = {
  readonly number: string;
  readonly at: number;
  readonly legalName: string;
  readonly legalAddress: readonly string[];
  readonly vatNumber: string | null;
};

type Row = {
  environment: Environment;
  series: number;
  number: string;
  issued_at: Date;
  legal_name: string;
  legal_address: string;
  vat_number: string | null;
};

/** A second call returns the first number. Null for a store without legal details and for a session that is not complete. */
export async function issueReceipt(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  sessionId: string,
): Promise<IssuedReceipt | null> {
  const issue = async (): Promise<Row | undefined> =>
    (await pool.query<Row>({ name: 'receipt-issue', text: ISSUE, values: [sessionId, clock.now()] })).rows[0];
  // The statement that loses a race inserts nothing and has not seen the winner's row; the next one sees it.
  const row = (await issue()) ?? (await issue());
  return row ? issuedOf(row) : null;
}

/** The test environment has numbers of its own, which no one can take for real ones. */
export const receiptNumberText = ({
  environment,
  series,
  number,
}: Pick<Row, 'environment' | 'series' | 'number'>): string =>
  `${environment === 'test' ? 'T' : ''}${series}-${number.padStart(NUMBER_DIGITS, '0')}`;
const NUMBER_DIGITS = 6;

const issuedOf = (row: Row): IssuedReceipt => ({
  number: receiptNumberText(row),
  at: unixSeconds(row.issued_at),
  legalName: row.legal_name,
  legalAddress: row.legal_address.split('\n'),
  vatNumber: row.vat_number,
});

const COLUMNS = 'environment, series, number, issued_at, legal_name, legal_address, vat_number';

/** The trigger on the table assigns series and number. A receipt that has one is only read, without a lock. */
const ISSUE = `
  WITH issued AS (SELECT ${COLUMNS} FROM receipt_numbers WHERE session_id = $1),
    made AS (INSERT INTO receipt_numbers (store_id, environment, session_id, issued_at, legal_name, legal_address, vat_number)
      SELECT s.store_id, s.environment, s.id, $2, st.legal_name, st.legal_address, st.vat_number
      FROM sessions s JOIN stores st ON st.id = s.store_id
      WHERE s.id = $1 AND s.status = 'completed' AND st.legal_name IS NOT NULL AND NOT EXISTS (SELECT FROM issued)
      ON CONFLICT (session_id) DO NOTHING RETURNING ${COLUMNS})
  SELECT * FROM issued UNION ALL SELECT * FROM made`;
