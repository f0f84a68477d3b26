// A password alone must never move live money. So an operator, or an owner of a live store, cannot remove their last second
// factor. A sandbox on the developer's own machine has no live money, so no account needs one there.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { IS_LIVE } from '@/lib/merchants/stores/store-status';

/**
 * Call this first in the transaction that removed a factor. Throws LAST_FACTOR, which rolls the removal back, when an operator
 * or an owner of a live store would have none. Other members may go without, and then cannot act live.
 */
export async function needFactorLeft(tx: Tx, { config }: Pick<Context, 'config'>, userId: string): Promise<void> {
  // Lock first and count by a separate statement: of two concurrent removals, the second sees the first.
  const { rows } = await tx.query<{ role: string }>(
    'SELECT role::text AS role FROM users WHERE id = $1 FOR NO KEY UPDATE',
    [userId],
  );
  if (isOwnSandbox(config)) return;
  if (rows[0]?.role !== 'operator' && !(await ownsLiveStore(tx, userId))) return;
  const hasFactor = { OR: [{ totpConfirmedAt: { not: null } }, { passkeys: { some: {} } }] };
  if ((await (await prismaOn(tx)).user.count({ where: { id: userId, ...hasFactor } })) !== 1)
    throw new ServiceError('LAST_FACTOR');
}

/** An approval in progress has locked the store's owners (stores/owners), so this query sees its result. */
async function ownsLiveStore(tx: Tx, userId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM members m JOIN stores s ON s.id = m.store_id WHERE m.user_id = $1 AND m.role = 'owner' AND ${IS_LIVE} LIMIT 1`,
    [userId],
  );
  return rowCount === 1;
}
