// The mail about a sign-in from a new place with a new browser.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { queueMail } from '@/lib/merchants/mail/queue';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import type { KnownDevice } from './known-device';

type NewLogin = {
  readonly userId: string;
  readonly from: RequestSource;
  /** Of the browser's cookie. What a browser says of itself proves nothing: a thief can copy it. */
  readonly device: KnownDevice | null;
  readonly now: Date;
};

/** Called after the login is complete. An account's first sign-in, or one from a known address or device, sends nothing. */
export async function notifyNewSignIn(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { userId, from, device, now }: NewLogin,
): Promise<void> {
  if (device?.userId === userId) return;
  const { rows } = await tx.query<{ email: string; locale: string | null }>({
    name: 'new-sign-in',
    // A login that never passed the second factor does not make an address known.
    text: `SELECT email, locale FROM users u WHERE id = $1
             AND EXISTS (SELECT FROM logins l WHERE l.user_id = u.id AND l.step_up_at IS NOT NULL AND l.created_at < $3)
             AND NOT EXISTS (SELECT FROM logins l WHERE l.user_id = u.id AND l.step_up_at IS NOT NULL AND l.created_at < $3
               AND l.address = $2)`,
    values: [userId, from.address, now],
  });
  const [user] = rows;
  if (!user) return;
  const link = `${config.PUBLIC_URL}/dashboard/account`;
  const values = { link, address: from.address, device: deviceOf(from.userAgent) };
  await queueMail(tx, { config }, { to: user.email, kind: 'NewSignIn', values, locale: user.locale, now });
}

const LONGEST_DEVICE = 200;

/**
 * The browser's self-description. The person who signs in controls it, so it must not contain anything that a mail program
 * turns into a link.
 */
const deviceOf = (userAgent: string): string =>
  userAgent
    .replaceAll(/[^\p{L}\p{N} ().;,_+/-]|\/\/|www\./giu, ' ')
    .replaceAll(/\.(?=\p{L})/gu, '. ')
    .slice(0, LONGEST_DEVICE)
    .trim() || '—';
