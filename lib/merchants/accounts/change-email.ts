// A new e-mail address is requested after a step-up and takes effect once the new mailbox has opened the link. The old mailbox
// is notified both times. The change signs every device out and voids links that went to the old address.

import { checkEmail } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { sqlState, SqlState, transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { auditAccount } from './account-audit';
import { needMailboxProof } from './second-factor/factor-setup';
import type { RequestSource } from './request-source';
import { makeLink, spendLink } from './links';
import { endLogins, type Who } from './sign-in/logins';
import { takeAttempt } from './sign-in/throttle';

/**
 * Sends the link to the new address. An address that has an account gets no link, and nothing else differs. The present mailbox
 * is notified, so that its owner can void the request with a new password. Throws INVALID_PARAMETER, RATE_LIMITED,
 * MAILBOX_PROOF_REQUIRED.
 */
export async function requestEmailChange(
  context: Context,
  who: Who,
  wish: { email: string; from: RequestSource },
): Promise<void> {
  const { pool, clock, config } = context;
  const { userId, locale } = who;
  const email = checkEmail(wish.email);
  // Otherwise a thief of the password could take over the mailbox too, and set up a second factor with it.
  await needMailboxProof(context, who);
  await takeAttempt(context, 'mail', `change ${userId}`);
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const values = { email, link: `${config.PUBLIC_URL}/reset` };
    await queueMail(tx, context, { to: who.email, kind: 'EmailChangeAsked', values, locale, now });
    await auditAccount(tx, { userId, action: 'email_ask', details: { email }, address: wish.from.address, now });
    if ((await (await prismaOn(tx)).user.count({ where: { email } })) > 0) return;
    const link = await makeLink(tx, config, { purpose: 'change_email', userId, email, now });
    await queueMail(tx, context, { to: email, kind: 'ChangeEmail', values: { link }, locale, now });
  });
}

/** Makes the new address effective. Throws link_invalid. */
export async function changeEmail(context: Context, given: { token: string; from: RequestSource }): Promise<void> {
  const { pool, clock } = context;
  const now = clock.now();
  try {
    await transaction(pool, async (tx) => {
      const { userId, email } = await spendLink(tx, 'change_email', given.token, now);
      const { rows } = await tx.query<{ email: string; locale: string | null }>(
        'SELECT email, locale FROM users WHERE id = $1 AND disabled_at IS NULL FOR UPDATE',
        [userId],
      );
      const [former] = rows;
      if (!former || userId === null || email === null) throw new ServiceError('link_invalid');
      const data = { email, emailConfirmedAt: now };
      await (await prismaOn(tx)).user.updateMany({ where: { id: userId }, data });
      await endLogins(tx, { userId, now });
      const notice = { to: former.email, kind: 'EmailChanged', values: { email }, locale: former.locale, now } as const;
      await queueMail(tx, context, notice);
      await auditAccount(tx, { userId, action: 'email', details: { email }, address: given.from.address, now });
    });
  } catch (error) {
    // Another account signed up with the address meanwhile.
    if (sqlState(error) === SqlState.uniqueViolation) throw new ServiceError('link_invalid', { cause: error });
    throw error;
  }
}
