// Links that can be used once: in mails, and the one that the server prints at its first start. They are found by a digest and
// are short-lived. A newer link of the same kind voids them, and so does a change of the account's address.

import { sha256 } from '@/lib/platform/crypto';
import type { Config } from '@/lib/platform/config/config';
import type { Db } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
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
  await db.query({
    name: 'make-link',
    text: `INSERT INTO account_links (token_hash, purpose, user_id, email, store_id, role, invited_by, created_at, expires_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      sha256(token),
      purpose,
      userId,
      email,
      invitation?.storeId ?? null,
      invitation?.role ?? null,
      invitation?.invitedBy ?? null,
      now,
      new Date(now.getTime() + minutes * 60_000),
    ],
  });
  return `${PUBLIC_URL}${PAGES[purpose]}?token=${token}`;
}

/** Voids the links of a kind with the same owner: user, or store and address. */
export const voidLinks = async (db: Db, { purpose, userId, email, invitation, now }: NewLink): Promise<void> =>
  void (await db.query({
    name: 'void-links',
    text: `UPDATE account_links SET used_at = $2 WHERE purpose = $1 AND used_at IS NULL
             AND CASE WHEN purpose = 'invite' THEN store_id = $4 AND email = $5
                      WHEN purpose = 'setup' THEN true ELSE user_id = $3 END`,
    values: [purpose, now, userId ?? null, invitation?.storeId ?? null, email ?? null],
  }));

/**
 * Voids the links of a user that could still give away the account or a store membership. The person who requested them may be
 * the one who is locked out now.
 */
export const voidPendingChanges = async (db: Db, { userId, now }: { userId: string; now: Date }): Promise<void> =>
  void (await db.query({
    name: 'void-pending-changes',
    text: `UPDATE account_links SET used_at = $2
           WHERE used_at IS NULL AND (user_id = $1 AND purpose IN ('change_email', 'reset') OR invited_by = $1 AND purpose = 'invite')`,
    values: [userId, now],
  }));

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
  const { rows } = await db.query<LinkRow>(
    `SELECT ${READ} FROM account_links WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3`,
    [sha256(token), purpose, now],
  );
  return rows[0] ?? null;
}

/** Part of a worker step: deletes links a month after they ended. */
export const clearLinks = async (db: Db, now: Date): Promise<void> =>
  void (await db.query('DELETE FROM account_links WHERE expires_at < $1', [new Date(now.getTime() - 30 * 86_400_000)]));
