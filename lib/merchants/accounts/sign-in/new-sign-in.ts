// The mail about a sign-in from a new place and browser of the account.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { queueMail } from '@/lib/merchants/mail/queue';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';

/** Called after the login is complete. An account's first sign-in, or one from a known address or browser, sends nothing. */
export async function notifyNewSignIn(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { userId, from, now }: { readonly userId: string; readonly from: RequestSource; readonly now: Date },
): Promise<void> {
  const { rows } = await tx.query<{ email: string; locale: string | null }>({
    name: 'new-sign-in',
    // A login that never passed the second factor does not make a device known.
    text: `SELECT email, locale FROM users u WHERE id = $1
             AND EXISTS (SELECT FROM logins l WHERE l.user_id = u.id AND l.step_up_at IS NOT NULL AND l.created_at < $4)
             AND NOT EXISTS (SELECT FROM logins l WHERE l.user_id = u.id AND l.step_up_at IS NOT NULL AND l.created_at < $4
               AND (l.address = $2 OR l.user_agent = $3))`,
    values: [userId, from.address, from.userAgent, now],
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
