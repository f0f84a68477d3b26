// Brings rows into a status that no move leads to from theirs, for tests that begin with such a row or with damaged data.

import { transaction, type Pool } from '@/lib/platform/database/db';

export type MovingTable =
  | 'sessions'
  | 'refunds'
  | 'payouts'
  | 'cold_transfers'
  | 'refund_attempts'
  | 'stores'
  | 'payment_exceptions'
  | 'deliveries'
  | 'balance_checks';

/** Runs a statement while the table's trigger of moves is off. Every other trigger and check applies. Needs the tables' owner. */
const forceStatus = (pool: Pool, table: MovingTable, text: string, values: readonly unknown[] = []): Promise<void> =>
  transaction(pool, async (tx) => {
    await tx.query(`ALTER TABLE ${table} DISABLE TRIGGER ${table}_moves`);
    await tx.query(text, [...values]);
    await tx.query(`ALTER TABLE ${table} ENABLE TRIGGER ${table}_moves`);
  });

/** Sets the status of one store. */
export const forceStoreStatus = (pool: Pool, storeId: string, status: string): Promise<void> =>
  forceStatus(pool, 'stores', 'UPDATE stores SET status = $2::"StoreStatus" WHERE id = $1', [storeId, status]);
