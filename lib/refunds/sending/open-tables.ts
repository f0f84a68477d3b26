// Which tables have payments that a run on a network may have to do something about. One lookup instead of three for each table: an idle
// installation runs it all day.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { PAYMENT_TABLES, type PaymentTable } from '@/lib/refunds/rows';

/** Not terminal, or failed and still to be released at the signer. Each condition has a partial index. */
const isOpen = (table: PaymentTable): string => {
  const own = `SELECT FROM ${table} WHERE environment = $1::"Environment" AND network = $2`;
  return `(EXISTS (${own} AND status IN ('pending', 'processing')) OR EXISTS (${own} AND to_release)) AS ${table}`;
};
const TEXT = `SELECT ${PAYMENT_TABLES.map(isOpen).join(', ')}`;

/** In the order of the tables. */
export async function openTables(
  db: Db,
  { environment, network }: { readonly environment: Environment; readonly network: string },
): Promise<readonly PaymentTable[]> {
  const { rows } = await db.query<Record<PaymentTable, boolean>>({
    name: 'payments-open',
    text: TEXT,
    values: [environment, network],
  });
  return PAYMENT_TABLES.filter((table) => rows[0]?.[table]);
}
