// Lists, changes and removes the members of a store. The database keeps the last owner. A removal also voids the invitations
// that the member sent and those sent to them.

import { endLogins } from '@/lib/merchants/accounts/sign-in/logins';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { sqlState, transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { MemberRole } from '@/prisma/generated/enums';
import type { Inviter } from './invite';
import { notifyOwnersOfKeptKeys } from './kept-keys';
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
  const { rows } = await db.query<MemberRow>({
    name: 'list-members',
    text: `SELECT m.user_id AS "userId", u.email, u.name, m.role::text AS role, m.created_at AS "createdAt",
                  u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) AS "isProtected"
           FROM members m JOIN users u ON u.id = m.user_id WHERE m.store_id = $1 ORDER BY m.created_at, m.user_id`,
    values: [storeId],
  });
  return rows;
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
    const { rowCount } = await tx.query('DELETE FROM members WHERE store_id = $1 AND user_id = $2', [storeId, userId]);
    if (rowCount !== 1) throw noMember();
    await voidInvitationsBy(tx, { storeId, userId, now });
    await tx.query(
      `UPDATE account_links SET used_at = $3 WHERE store_id = $1 AND purpose = 'invite' AND used_at IS NULL
         AND email = (SELECT email FROM users WHERE id = $2)`,
      [storeId, userId, now],
    );
    await revokeMadeKeys(tx, { storeId, userId, keys: [...new Set(revokeKeys)], actor, now });
    if (actor.by !== `user:${userId}`) await endLogins(tx, { userId, now });
    const details = keptKeys(await notifyOwnersOfKeptKeys(tx, context, { storeId, userId, now }));
    await recordAudit(tx, { ...entry(actor, storeId, userId, now), action: 'member.remove', details });
  });

/** For the audit log: live keys that still work although their creator has lost the role under which they created them. */
const keptKeys = (ids: readonly number[]) => (ids.length > 0 ? { kept_keys: ids } : {});

type MadeKeys = { storeId: string; userId: string; keys: readonly number[]; actor: Actor; now: Date };

async function revokeMadeKeys(tx: Tx, { storeId, userId, keys, actor, now }: MadeKeys): Promise<void> {
  if (keys.length === 0) return;
  const { rows } = await tx.query<{ id: number }>(
    `UPDATE api_keys SET revoked_at = $4 WHERE id = ANY ($3::int[]) AND store_id = $1 AND created_by = $2 AND revoked_at IS NULL
     RETURNING id`,
    [storeId, userId, keys, now],
  );
  if (rows.length !== keys.length) {
    const message = 'revoke_keys must be working keys of the store that this member made. Load the page again.';
    throw new ServiceError('INVALID_PARAMETER', { param: 'revoke_keys', message });
  }
  for (const { id } of rows)
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

const voidInvitationsBy = async (tx: Tx, of: { storeId: string; userId: string; now: Date }): Promise<void> =>
  void (await tx.query(
    `UPDATE account_links SET used_at = $3 WHERE store_id = $1 AND purpose = 'invite' AND used_at IS NULL AND invited_by = $2`,
    [of.storeId, of.userId, of.now],
  ));

const noMember = (): ServiceError => new ServiceError('NOT_FOUND', { message: 'There is no such member.' });

const entry = ({ by, address }: Actor, storeId: string, target: string, now: Date) => ({
  actor: by,
  storeId,
  target,
  address,
  now,
});
