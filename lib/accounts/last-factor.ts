// An operator's password alone must never move everybody's money, so their last second factor stays until there is another. In
// a sandbox on one's own machine the operator has none to begin with, and may go back to that.

import type { Context } from '@/lib/context';
import type { Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { isOwnSandbox } from '@/lib/own-sandbox';

/**
 * To be called in the transaction that took a factor away, before anything else of it. Throws LAST_FACTOR, which undoes the
 * removal, when an operator would have none.
 */
export async function needFactorLeft(tx: Tx, { config }: Pick<Context, 'config'>, userId: string): Promise<void> {
  // The lock first and the count by a statement of its own: of two that are taken away at once the second sees the first gone.
  const { rows } = await tx.query<{ role: string }>(
    'SELECT role::text AS role FROM users WHERE id = $1 FOR NO KEY UPDATE',
    [userId],
  );
  if (rows[0]?.role !== 'operator' || isOwnSandbox(config)) return;
  const { rowCount } = await tx.query(
    `SELECT 1 FROM users u WHERE id = $1
       AND (totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))`,
    [userId],
  );
  if (rowCount !== 1) throw new ServiceError('LAST_FACTOR');
}
