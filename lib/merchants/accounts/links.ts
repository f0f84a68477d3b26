// Links that can be used once: in mails, and the one that the server prints at its first start. They are found by a digest and
// are short-lived. A newer link of the same kind voids them, and so does a change of the account's address.

import { sha256 } from '@/lib/platform/crypto';
import type { Config } from '@/lib/platform/config/config';
import type { Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Prisma } from '@/prisma/generated/client';
import type { MemberRole } from '@/prisma/generated/enums';
import { isToken, newToken } from './sign-in/logins';

export type Purpose = 'confirm' | 'reset' | 'change_email' | 'invite' | 'setup';

const MINUTES: Readonly<Record<Purpose, number>> = {
  confirm: 24 * 60,
  reset: 15,
  change_email: 24 * 60,
  invite: 7 * 24 * 60,
  setup: 24 * 60,
};
/** The pages that the links lead to. */
const PAGES: Readonly<Record<Purpose, string>> = {
  confirm: '/confirm',
  reset: '/reset',
  change_email: '/confirm/email',
  invite: '/invite',
  setup: '/setup',
};

export type LinkRow = {
  readonly userId: string | null;
  readonly email: string | null;
  readonly storeId: string | null;
  readonly role: MemberRole | null;
  readonly invitedBy: string | null;
};

export type NewLink = {
  readonly purpose: Purpose;
  readonly userId?: string;
  readonly email?: string;
  readonly invitation?: { readonly storeId: string; readonly role: MemberRole; readonly invitedBy: string };
  /** How long it is valid, if it differs from the default of its purpose. */
  readonly minutes?: number;
  readonly now: Date;
};

/** Creates a link. Returns its address, the only place that contains its secret. */
export async function makeLink(db: Db, { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, link: NewLink): Promise<string> {
  const { purpose, userId = null, email = null, invitation, minutes = MINUTES[purpose], now } = link;
  const token = newToken();
  await voidLinks(db, link);
  const prisma = await prismaOn(db);
  await prisma.accountLink.create({
    data: {
      tokenHash: digest(token),
      purpose,
      userId,
      email,
      ...invitation,
      createdAt: now,
      expiresAt: new Date(now.getTime() + minutes * 60_000),
    },
    select: { purpose: true },
  });
  return `${PUBLIC_URL}${PAGES[purpose]}?token=${token}`;
}

/** Voids the links of a kind with the same owner: user, or store and address. */
export async function voidLinks(db: Db, link: NewLink): Promise<void> {
  const owner = ownerOf(link);
  if (owner === null) return;
  const prisma = await prismaOn(db);
  await prisma.accountLink.updateMany({
    where: { purpose: link.purpose, usedAt: null, ...owner },
    data: { usedAt: link.now },
  });
}

/** A condition for the links of the same owner; null when the link names none. Links of the set-up have the same one. */
function ownerOf({ purpose, userId, email, invitation }: NewLink): Prisma.AccountLinkWhereInput | null {
  if (purpose === 'setup') return {};
  if (purpose !== 'invite') return userId === undefined ? null : { userId };
  return invitation === undefined || email === undefined ? null : { storeId: invitation.storeId, email };
}

/**
 * Voids the links of a user that could still give away the account or a store membership. The person who requested them may be
 * the one who is locked out now.
 */
export async function voidPendingChanges(db: Db, { userId, now }: { userId: string; now: Date }): Promise<void> {
  const changes = { userId, purpose: { in: ['change_email', 'reset'] } };
  const where = { usedAt: null, OR: [changes, { invitedBy: userId, purpose: 'invite' }] };
  await (await prismaOn(db)).accountLink.updateMany({ where, data: { usedAt: now } });
}

const READ = 'user_id AS "userId", email, store_id AS "storeId", role::text AS role, invited_by AS "invitedBy"';

/** Uses up a link. Of two requests with the same link, the database lets one pass. Throws link_invalid. */
export async function spendLink(db: Db, purpose: Purpose, token: string, now: Date): Promise<LinkRow> {
  const { rows } = await db.query<LinkRow>(
    `UPDATE account_links SET used_at = $3
     WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3 RETURNING ${READ}`,
    [isToken(token) ? sha256(token) : Buffer.alloc(0), purpose, now],
  );
  if (!rows[0]) throw new ServiceError('link_invalid');
  return rows[0];
}

/** A link as a page shows it before use; null when it is invalid. */
export async function readLink(db: Db, purpose: Purpose, token: string, now: Date): Promise<LinkRow | null> {
  if (!isToken(token)) return null;
  return (await prismaOn(db)).accountLink.findUnique({
    where: { tokenHash: digest(token), purpose, usedAt: null, expiresAt: { gt: now } },
    select: { userId: true, email: true, storeId: true, role: true, invitedBy: true },
  });
}

/** Part of a worker step: deletes links a month after they ended. */
export const clearLinks = async (db: Db, now: Date): Promise<void> =>
  void (await db.query('DELETE FROM account_links WHERE expires_at < $1', [new Date(now.getTime() - 30 * 86_400_000)]));

const digest = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(token));
