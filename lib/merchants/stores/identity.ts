// What customers know a store by: its name, its website, what it sells, and of its look the name, the logo, the contact and the
// pages that may show its checkout. An approved store may change them at once, since shops do; the operator, who approved something else, is shown what was changed until they have looked.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { auditStore, type Actor } from './actor';

/** Marks a store whose identity changes now. One that was not approved yet is looked at anyway. */
export const markIdentityChanged = (tx: Tx, storeId: string, now: Date): Promise<unknown> =>
  tx.query(`UPDATE stores SET identity_changed_at = $2 WHERE id = $1 AND status IN ('approved', 'suspended')`, [
    storeId,
    now,
  ]);

/** The operator has looked at the change of `changedAt`. Throws STORE_CHANGED when there was another one since, or none. */
export const seeIdentity = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, changedAt }: { readonly storeId: string; readonly changedAt: Date },
  actor: Actor,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(
      'UPDATE stores SET identity_changed_at = NULL WHERE id = $1 AND identity_changed_at = $2',
      [storeId, changedAt],
    );
    if (rowCount !== 1) throw new ServiceError('STORE_CHANGED');
    await auditStore(tx, actor, { storeId, action: 'store.seen', target: storeId, now: clock.now() });
  });
