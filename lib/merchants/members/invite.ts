// Invitations to a store: a link to one e-mail address, for one role, valid for seven days. A newer one to the same address
// replaces the older. Each is a mail to an address that the inviter types, so store and inviter have a daily limit.

import { makeLink, voidLinks } from '@/lib/merchants/accounts/links';
import { takeAttempt } from '@/lib/merchants/accounts/sign-in/throttle';
import { recordAudit } from '@/lib/merchants/audit/record';
import { checkEmail } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import type { MemberRole } from '@/prisma/generated/enums';

/** The member who invites, changes or removes. */
export type Inviter = {
  readonly userId: string;
  readonly email: string;
  readonly by: string;
  readonly address: string;
  readonly locale: string | null;
};

export type Invitation = {
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Open invitations of a store at once. */
const MAX_OPEN = 100;

/** Invitations per day of a store, and of an inviter across all their stores. Canceling does not free any. */
const MAX_A_DAY = 20;
const DAY_MILLISECONDS = 86_400_000;

/** Sends an invitation. Throws INVALID_PARAMETER for an invalid address or a member's, RATE_LIMITED above the daily limit. */
export async function inviteMember(
  context: Context,
  inviter: Inviter,
  wish: { storeId: string; email: string; role: MemberRole },
): Promise<void> {
  const { pool, clock, config } = context;
  const email = checkEmail(wish.email);
  const { storeId, role } = wish;
  await takeAttempt(context, 'mail', `invite ${storeId} ${email}`);
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ name: string; is_approved: boolean; is_member: boolean }>(
      `SELECT name, status = 'approved' AS is_approved, EXISTS (SELECT FROM members m JOIN users u ON u.id = m.user_id WHERE m.store_id = s.id AND u.email = $2)
              AS is_member FROM stores s WHERE id = $1 FOR UPDATE`,
      [storeId, email],
    );
    const [store] = rows;
    if (!store) throw new ServiceError('STORE_NOT_FOUND');
    if (store.is_member) throw refused('This person is a member already. Change their role instead.');
    const open = await listInvitations(tx, storeId, now);
    if (open.length >= MAX_OPEN) throw refused(`A store has at most ${MAX_OPEN} open invitations.`);
    await checkDay(tx, { storeId, userId: inviter.userId, now });
    const invitation = { storeId, role, invitedBy: inviter.userId };
    const link = await makeLink(tx, config, { purpose: 'invite', email, invitation, now });
    const values = { link, store: store.name, inviter: inviter.email };
    const kind = store.is_approved ? 'Invite' : 'InviteUnnamed';
    await queueMail(tx, context, { to: email, kind, values, locale: inviter.locale, now });
    await recordAudit(tx, {
      actor: inviter.by,
      storeId,
      action: 'member.invite',
      target: email,
      details: { role },
      address: inviter.address,
      now,
    });
  });
}

/** Counts the links themselves, which remain when they are void. The caller has locked the store; this locks the inviter. */
async function checkDay(
  tx: Tx,
  { storeId, userId, now }: { storeId: string; userId: string; now: Date },
): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  const since = new Date(now.getTime() - DAY_MILLISECONDS);
  const { rows } = await tx.query<{ first: Date }>(
    `SELECT min(created_at) AS first FROM account_links
     WHERE purpose = 'invite' AND created_at > $3 AND store_id = $1 HAVING count(*) >= $4
     UNION ALL
     SELECT min(created_at) FROM account_links
     WHERE purpose = 'invite' AND created_at > $3 AND invited_by = $2 HAVING count(*) >= $4`,
    [storeId, userId, since, MAX_A_DAY],
  );
  if (rows.length === 0) return;
  // When the first of them is a day old.
  const wait = Math.max(...rows.map(({ first }) => first.getTime() - since.getTime()));
  throw new ServiceError('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil(wait / 1000)) });
}

const refused = (message: string): ServiceError => new ServiceError('INVALID_PARAMETER', { param: 'email', message });

/** The open invitations of a store, the oldest first. */
export async function listInvitations(db: Db, storeId: string, now: Date): Promise<Invitation[]> {
  const { rows } = await db.query<Invitation>(
    `SELECT email, role::text AS role, created_at AS "createdAt", expires_at AS "expiresAt" FROM account_links
     WHERE store_id = $1 AND purpose = 'invite' AND email IS NOT NULL AND used_at IS NULL AND expires_at > $2
     ORDER BY created_at, email`,
    [storeId, now],
  );
  return rows;
}

/** Cancels an invitation. A no-op when it is no longer open. */
export async function cancelInvitation(
  { pool, clock }: Context,
  inviter: Inviter,
  of: { storeId: string; email: string },
): Promise<void> {
  const now = clock.now();
  const { storeId } = of;
  const email = checkEmail(of.email);
  await transaction(pool, async (tx) => {
    // Role and inviter do not affect which links are voided.
    const invitation = { storeId, role: 'viewer', invitedBy: inviter.userId } as const;
    await voidLinks(tx, { purpose: 'invite', email, invitation, now });
    const { by: actor, address } = inviter;
    await recordAudit(tx, { actor, storeId, action: 'member.uninvite', target: email, address, now });
  });
}
