// The payouts of a store in one environment, newest first, by one statement a page.

import { PAYOUT_COLUMNS, payoutOf, type Payout, type PayoutRow } from '@/lib/payouts/payout';
import type { Context } from '@/lib/platform/context';
import { keyset, pageOf, type Page, type PageRequest } from './keyset';
import type { StoreScope } from './payments';

/** One page. */
export async function listStorePayouts(
  { pool }: { readonly pool: Pick<Context['pool'], 'query'> },
  of: StoreScope,
  pageRequest: PageRequest,
): Promise<Page<Payout>> {
  const { rows } = await pool.query<PayoutRow>(payoutsStatement(of, pageRequest));
  return pageOf(rows.map(payoutOf), pageRequest, (row) => row);
}

/** Not named: it contains only the requested conditions, and PostgreSQL plans it with their values. */
export function payoutsStatement(
  { storeId, environment }: StoreScope,
  pageRequest: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [storeId, environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const { condition, order } = keyset(pageRequest, ['p.created_at', 'p.id'], given);
  const text = `SELECT ${PAYOUT_COLUMNS} FROM payouts p
    WHERE p.store_id = $1 AND p.environment = $2::"Environment"${condition} ${order}`;
  return { text, values };
}
