// Lists, changes and removes the members of a store. The database keeps the last owner. A removal also voids the invitations
// that the member sent and those sent to them.

import { endLogins } from '@/lib/merchants/accounts/sign-in/logins';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { sqlState, transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { listOwners } from '@/lib/merchants/stores/owners';
import type { MemberRole } from '@/prisma/generated/enums';
import type { Inviter } from './invite';
import { notifyOwnersOfKeptKeys } from './kept-keys';
import { notifyOfOwnersChange } from './owners-changed';
import { scopesGivenBy } from './roles';

export type MemberRow = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
  readonly isProtected: boolean;
};

type Actor = Pick<Inviter, 'by' | 'address'>;
const CHECK_VIOLATION = '23514';

/** A store's members, the oldest first. `isProtected`: they have a second factor. */
export async function listMembers(db: Db, storeId: string): Promise<MemberRow[]> {
  const prisma = await prismaOn(db);
  const members = await prisma.member.findMany({
    where: { storeId },
    select: {
      userId: true,
      role: true,
      createdAt: true,
      user: { select: { email: true, name: true, totpConfirmedAt: true, _count: { select: { passkeys: true } } } },
    },
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
  });
  return members.map(({ userId, role, createdAt, user }) => ({
    userId,
    email: user.email,
    name: user.name,
    role,
    createdAt,
    isProtected: user.totpConfirmedAt !== null || user._count.passkeys > 0,
  }));
}

/**
 * Changes a member's role. The owners are mailed which live keys of a member with fewer rights still work. Throws NOT_FOUND or
 * LAST_OWNER.
 */
export const changeMemberRole = (
  context: Context,
  actor: Actor,
  of: { storeId: string; userId: string; role: MemberRole },
): Promise<void> =>
  keepingAnOwner(context, async (tx, now) => {
    const { storeId, userId, role } = of;
    const before = await listOwners(tx, storeId);
    const { rows } = await tx.query<{ former: MemberRole }>(
      `UPDATE members m SET role = $3::"MemberRole" FROM (SELECT role FROM members WHERE store_id = $1 AND user_id = $2 FOR UPDATE) o
       WHERE m.store_id = $1 AND m.user_id = $2 RETURNING o.role::text AS former`,
      [storeId, userId, role],
    );
    if (!rows[0]) throw noMember();
    if (role !== 'owner') await voidInvitationsBy(tx, { storeId, userId, now });
    const { former } = rows[0];
    const hasFewerScopes = scopesGivenBy(role, 'live').length < scopesGivenBy(former, 'live').length;
    const kept = hasFewerScopes ? await notifyOwnersOfKeptKeys(tx, context, { storeId, userId, now }) : [];
    if ((former === 'owner') !== (role === 'owner')) {
      const is = role === 'owner' ? 'owner' : 'no_owner';
      await notifyOfOwnersChange(tx, context, { storeId, userId, is, by: actor.by, before, now });
    }
    const details = { from: former, to: role, ...keptKeys(kept) };
    await recordAudit(tx, { ...entry(actor, storeId, userId, now), action: 'member.role', details });
  });

/**
 * Removes a member, or lets one leave. `revokeKeys`: working keys of the member that are revoked too. A member whom another
 * removes is signed out everywhere. Throws NOT_FOUND, LAST_OWNER, or INVALID_PARAMETER for a key that does not qualify.
 */
export const removeMember = (
  context: Context,
  actor: Actor,
  of: { storeId: string; userId: string; revokeKeys?: readonly number[] | undefined },
): Promise<void> =>
  keepingAnOwner(context, async (tx, now) => {
    const { storeId, userId, revokeKeys = [] } = of;
    const before = await listOwners(tx, storeId);
    const { rows } = await tx.query<{ former: MemberRole }>(
      'DELETE FROM members WHERE store_id = $1 AND user_id = $2 RETURNING role::text AS former',
      [storeId, userId],
    );
    if (!rows[0]) throw noMember();
    const { former } = rows[0];
    await voidInvitationsBy(tx, { storeId, userId, now });
    await tx.query(
      `UPDATE account_links SET used_at = $3 WHERE store_id = $1 AND purpose = 'invite' AND used_at IS NULL
         AND email = (SELECT email FROM users WHERE id = $2)`,
      [storeId, userId, now],
    );
    await revokeMadeKeys(tx, { storeId, userId, keys: [...new Set(revokeKeys)], actor, now });
    if (actor.by !== `user:${userId}`) await endLogins(tx, { userId, now });
    const kept = await notifyOwnersOfKeptKeys(tx, context, { storeId, userId, now });
    if (former === 'owner')
      await notifyOfOwnersChange(tx, context, { storeId, userId, is: 'no_owner', by: actor.by, before, now });
    const details = { from: former, ...keptKeys(kept) };
    await recordAudit(tx, { ...entry(actor, storeId, userId, now), action: 'member.remove', details });
  });

/** For the audit log: live keys that still work although their creator has lost the role under which they created them. */
const keptKeys = (ids: readonly number[]) => (ids.length > 0 ? { kept_keys: ids } : {});

type MadeKeys = { storeId: string; userId: string; keys: readonly number[]; actor: Actor; now: Date };

async function revokeMadeKeys(tx: Tx, { storeId, userId, keys, actor, now }: MadeKeys): Promise<void> {
  if (keys.length === 0) return;
  const prisma = await prismaOn(tx);
  const revoked = await prisma.apiKey.updateManyAndReturn({
    where: { id: { in: [...keys] }, storeId, createdBy: userId, revokedAt: null },
    data: { revokedAt: now },
    select: { id: true },
  });
  if (revoked.length !== keys.length) {
    const message = 'revoke_keys must be working keys of the store that this member made. Load the page again.';
    throw new ServiceError('INVALID_PARAMETER', { param: 'revoke_keys', message });
  }
  for (const { id } of revoked)
    await recordAudit(tx, { ...entry(actor, storeId, String(id), now), action: 'key.revoke', details: { of: userId } });
}

async function keepingAnOwner({ pool, clock }: Context, work: (tx: Tx, now: Date) => Promise<void>): Promise<void> {
  try {
    await transaction(pool, (tx) => work(tx, clock.now()));
  } catch (error) {
    if (sqlState(error) === CHECK_VIOLATION) throw new ServiceError('LAST_OWNER', { cause: error });
    throw error;
  }
}

async function voidInvitationsBy(tx: Tx, of: { storeId: string; userId: string; now: Date }): Promise<void> {
  const prisma = await prismaOn(tx);
  await prisma.accountLink.updateMany({
    where: { storeId: of.storeId, purpose: 'invite', usedAt: null, invitedBy: of.userId },
    data: { usedAt: of.now },
  });
}

const noMember = (): ServiceError => new ServiceError('NOT_FOUND', { message: 'There is no such member.' });

const entry = ({ by, address }: Actor, storeId: string, target: string, now: Date) => ({
  actor: by,
  storeId,
  target,
  address,
  now,
});
