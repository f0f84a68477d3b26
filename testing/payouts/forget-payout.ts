// A database as it was before a payout, as a backup restores it.

import { transaction } from '@/lib/platform/database/db';
import type { TestDatabase } from '@/testing/database/database';

export const forgetPayout = (db: TestDatabase, id: string): Promise<void> =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    const entries = `SELECT id FROM ledger_entries WHERE intent_id = '${id}'`;
    for (const table of ['refund_attempts', 'refund_status_changes'])
      await tx.query(`DELETE FROM ${table} WHERE intent_id = '${id}'`);
    await tx.query(`UPDATE ledger_balances b SET amount = b.amount - p.amount FROM (
      SELECT account, network, currency, sum(amount) AS amount FROM ledger_postings WHERE entry_id IN (${entries}) GROUP BY 1, 2, 3) p
      WHERE (b.account, b.network, b.currency) = (p.account, p.network, p.currency) AND b.environment = 'test'`);
    await tx.query(`DELETE FROM ledger_postings WHERE entry_id IN (${entries})`);
    await tx.query(`DELETE FROM ledger_entries WHERE intent_id = '${id}'`);
    await tx.query(`DELETE FROM payouts WHERE id = '${id}'`);
  });
