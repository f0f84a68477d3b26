// What customers know a store by: its name, website and description, and the name, logo, contact and embedding pages of its
// branding. An approved store may change them at once. The operator approved something else, so the console shows the change until
// an operator has reviewed it.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Prisma } from '@/prisma/generated/client';
import { auditStore, type Actor } from './actor';

/** Marks a store whose identity changes now. Stores that are not approved yet are reviewed anyway. */
export async function markIdentityChanged(tx: Tx, storeId: string, now: Date): Promise<void> {
  const where = { id: storeId, status: { in: ['approved', 'suspended'] } } satisfies Prisma.StoreWhereInput;
  await (await prismaOn(tx)).store.updateMany({ where, data: { identityChangedAt: now } });
}

/**
 * Records that the operator reviewed the change of `changedAt`. Throws STORE_CHANGED after a later change, or when there is
 * none.
 */
export const seeIdentity = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, changedAt }: { readonly storeId: string; readonly changedAt: Date },
  actor: Actor,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const prisma = await prismaOn(tx);
    const { count } = await prisma.store.updateMany({
      where: { id: storeId, identityChangedAt: changedAt },
      data: { identityChangedAt: null },
    });
    if (count !== 1) throw new ServiceError('STORE_CHANGED');
    await auditStore(tx, actor, { storeId, action: 'store.seen', target: storeId, now: clock.now() });
  });
