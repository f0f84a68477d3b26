// A password alone must never move live money, so the last second factor of an operator, or of an owner of a live store, stays
// until there is another. In a sandbox on one's own machine there is no live money, so no account needs one.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { IS_LIVE } from '@/lib/merchants/stores/store-status';

/**
 * To be called in the transaction that took a factor away, before anything else of it. Throws LAST_FACTOR, which undoes the
 * removal, when an operator or an owner of a live store would have none. Other members may go without, and then cannot act live.
 */
export async function needFactorLeft(tx: Tx, { config }: Pick<Context, 'config'>, userId: string): Promise<void> {
  // The lock first and the count by a statement of its own: of two that are taken away at once the second sees the first gone.
  const { rows } = await tx.query<{ role: string }>(
    'SELECT role::text AS role FROM users WHERE id = $1 FOR NO KEY UPDATE',
    [userId],
  );
  if (isOwnSandbox(config)) return;
  if (rows[0]?.role !== 'operator' && !(await ownsLiveStore(tx, userId))) return;
  const { rowCount } = await tx.query(
    `SELECT 1 FROM users u WHERE id = $1
       AND (totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))`,
    [userId],
  );
  if (rowCount !== 1) throw new ServiceError('LAST_FACTOR');
}

/** A store that is approved at this moment has locked its owners (stores/owners), so it is seen here. */
async function ownsLiveStore(tx: Tx, userId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM members m JOIN stores s ON s.id = m.store_id WHERE m.user_id = $1 AND m.role = 'owner' AND ${IS_LIVE} LIMIT 1`,
    [userId],
  );
  return rowCount === 1;
}
