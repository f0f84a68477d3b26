// Accepts an invitation, once, by a user who is signed in with the address it was sent to. Role and store come from the
// database row; values in the link's address are ignored.

import { readLink, spendLink } from '@/lib/merchants/accounts/links';
import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { listOwners } from '@/lib/merchants/stores/owners';
import type { MemberRole } from '@/prisma/generated/enums';
import { notifyOfOwnersChange } from './owners-changed';

export type Offered = {
  readonly storeId: string;
  readonly storeName: string;
  readonly role: MemberRole;
  readonly email: string;
};

/** What an invitation offers, for its page; null when the link is invalid. */
export async function readInvitation({ pool, clock }: Context, token: string): Promise<Offered | null> {
  const link = await readLink(pool, 'invite', token, clock.now());
  if (!link?.storeId || !link.role || !link.email) return null;
  const where = { id: link.storeId };
  const store = await (await prismaOn(pool)).store.findUnique({ where, select: { name: true } });
  return store ? { storeId: link.storeId, storeName: store.name, role: link.role, email: link.email } : null;
}

const notForOperators = (): ServiceError =>
  new ServiceError('permission_denied', { message: 'An operator is a member of no store. Use another account.' });

/** Makes the user a member. Throws link_invalid, also for another address than it was sent to; the link then stays valid. */
export async function acceptInvitation(
  context: Context,
  who: Who,
  given: { token: string; address: string },
): Promise<{ store_id: string; role: MemberRole }> {
  const { pool, clock } = context;
  const now = clock.now();
  return transaction(pool, async (tx) => {
    // Read under the lock: a promotion may have committed since the request was authorized.
    const { rows: users } = await tx.query<{ role: string }>(
      'SELECT role::text AS role FROM users WHERE id = $1 FOR SHARE',
      [who.userId],
    );
    if (users[0]?.role !== 'merchant') throw notForOperators();
    const link = await spendLink(tx, 'invite', given.token, now);
    const { storeId, role, email, invitedBy } = link;
    if (storeId === null || role === null || email !== who.email) throw new ServiceError('link_invalid');
    // The inviter must still have the right to invite.
    const { rowCount } = await tx.query(
      `SELECT 1 FROM members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
       WHERE m.store_id = $1 AND m.user_id = $2 AND m.role = 'owner' FOR SHARE`,
      [storeId, invitedBy],
    );
    if (rowCount === 0) throw new ServiceError('link_invalid');
    const before = await listOwners(tx, storeId);
    const { rows: made } = await tx.query<{ role: MemberRole }>(
      `INSERT INTO members (store_id, user_id, role, created_at) VALUES ($1, $2, $3::"MemberRole", $4)
       ON CONFLICT (store_id, user_id) DO UPDATE SET role = members.role RETURNING role::text AS role`,
      [storeId, who.userId, role, now],
    );
    const actual = made[0]?.role ?? role;
    if (actual === 'owner') {
      const by = `user:${invitedBy}`;
      await notifyOfOwnersChange(tx, context, { storeId, userId: who.userId, is: 'owner', by, before, now });
    }
    await recordAudit(tx, {
      actor: `user:${who.userId}`,
      storeId,
      action: 'member.accept',
      target: who.userId,
      details: { role: actual },
      address: given.address,
      now,
    });
    return { store_id: storeId, role: actual };
  });
}
