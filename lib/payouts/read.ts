// Reads a payout for its merchant: one statement spends the nonce and reads the payout.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { PAYOUT_COLUMNS, payoutOf, type Payout, type PayoutRow } from './payout';
import { merchantIdIn } from '@/lib/platform/request-text';

export const READ_PAYOUT_SQL = `
WITH ${SPEND_NONCE}
SELECT ${SPENT_COLUMNS}, ${PAYOUT_COLUMNS}
FROM (VALUES (1)) AS one LEFT JOIN payouts p ON p.payout_id = $3 AND p.store_id = $4 AND p.environment = $5::"Environment"`;

/** The statement always returns one row. */
type FoundRow = SpentRow & ({ id: null } | PayoutRow);

/** `payoutId` as in a path. Throws PAYOUT_NOT_FOUND, or why the nonce was not spent. */
export async function readPayout(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
  payoutId: string,
): Promise<Payout> {
  const { key, nonce } = caller;
  const values = [key.id, nonce, merchantIdIn(payoutId), key.storeId, key.environment];
  const { rows } = await pool.query<FoundRow>({ name: 'read-payout', text: READ_PAYOUT_SQL, values });
  const row = rows[0] as FoundRow;
  checkSpent(row, caller);
  if (row.id === null) throw noPayout();
  return payoutOf(row);
}

export const noPayout = (): ServiceError => new ServiceError('PAYOUT_NOT_FOUND', { param: 'payout_id' });
