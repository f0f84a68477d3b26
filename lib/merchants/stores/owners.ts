// The owners of a store, for mails to every owner.

import type { Db, Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import type { Prisma } from '@/prisma/generated/client';

export type Owner = {
  readonly email: string;
  readonly locale: string | null;
  /** The store's name. */
  readonly name: string;
};

/** The e-mail addresses of the owners who can sign in and have no second factor. */
export async function ownersWithoutFactor(db: Db, storeId: string): Promise<readonly string[]> {
  const prisma = await prismaOn(db);
  const owners = await prisma.user.findMany({
    where: {
      disabledAt: null,
      totpConfirmedAt: null,
      passkeys: { none: {} },
      memberships: { some: { storeId, role: 'owner' } },
    },
    select: { email: true },
    orderBy: { email: 'asc' },
  });
  return owners.map(({ email }) => email);
}

/** Locks the owners: none can lose a second factor before the transaction ends (accounts/last-factor waits for the lock). */
export async function lockOwners(tx: Tx, storeId: string): Promise<void> {
  await tx.query(
    `SELECT 1 FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.store_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL ORDER BY u.id FOR SHARE OF u`,
    [storeId],
  );
}

/** The members who are mailed when the store is approved or rejected: the owners, unless a member chose otherwise. */
export const listDecisionReaders = (db: Db, storeId: string): Promise<readonly Owner[]> =>
  membersOf(db, storeId, { OR: [{ mailDecisions: true }, { mailDecisions: null, role: 'owner' }] });

/** The owners of a store who can sign in. */
export const listOwners = (db: Db, storeId: string): Promise<readonly Owner[]> =>
  membersOf(db, storeId, { role: 'owner' });

async function membersOf(db: Db, storeId: string, which: Prisma.MemberWhereInput): Promise<readonly Owner[]> {
  const prisma = await prismaOn(db);
  const members = await prisma.member.findMany({
    where: { ...which, storeId, user: { disabledAt: null } },
    select: { user: { select: { email: true, locale: true } }, store: { select: { name: true } } },
  });
  return members.map(({ user, store }) => ({ ...user, name: store.name }));
}
