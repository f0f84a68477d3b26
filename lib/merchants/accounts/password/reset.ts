// A forgotten password: a link to the account's mailbox, valid once and for a quarter of an hour. The requester gets the same
// answer after the same time whether or not the account exists. A new password signs every device out and voids links for
// another password or address.

import { hashPassword } from '@/lib/merchants/accounts/password/password';
import { checkEmail, checkNewPassword } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { auditAccount } from '@/lib/merchants/accounts/account-audit';
import { noteMailboxProof } from '@/lib/merchants/accounts/second-factor/factor-setup';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import { attemptGroup } from '@/lib/merchants/accounts/sign-in/attempt-group';
import { makeLink, readLink, spendLink, voidPendingChanges } from '@/lib/merchants/accounts/links';
import { endLogins } from '@/lib/merchants/accounts/sign-in/logins';
import { resetAttempts, takeAttempt } from '@/lib/merchants/accounts/sign-in/throttle';

/** Rolls back what was written for an address without an account. */
class NoAccount extends Error {}
const NO_ACCOUNT = { id: '00000000-0000-4000-8000-000000000000', locale: null };

/** Throws INVALID_PARAMETER for an invalid address, RATE_LIMITED for an address that is requested too often. */
export async function requestReset(context: Context, given: { email: string; from: RequestSource }): Promise<void> {
  const { pool, clock, config } = context;
  const email = checkEmail(given.email);
  const group = attemptGroup(config, given.from.address);
  if (group !== '') await takeAttempt(context, 'address', `reset ${group}`);
  await takeAttempt(context, 'mail', `reset ${email}`);
  const now = clock.now();
  const prisma = await prismaOn(pool);
  const found = await prisma.user.findUnique({
    where: { email, disabledAt: null },
    select: { id: true, locale: true },
  });
  const user = found ?? NO_ACCOUNT;
  try {
    // Without an account the same rows are written and rolled back, so that the time reveals nothing.
    await transaction(pool, async (tx) => {
      const link = await makeLink(tx, config, { purpose: 'reset', userId: user.id, email, now });
      await queueMail(tx, context, { to: email, kind: 'Reset', values: { link }, locale: user.locale, now });
      if (user === NO_ACCOUNT) throw new NoAccount();
    });
  } catch (error) {
    if (!(error instanceof NoAccount)) throw error;
  }
}

/** Sets the password by link. Throws link_invalid, or INVALID_PARAMETER for the password; the link then stays valid. */
export async function resetPassword(
  context: Context,
  given: { token: string; password: string; from: RequestSource },
): Promise<void> {
  const { pool, clock, config } = context;
  const now = clock.now();
  const link = await readLink(pool, 'reset', given.token, now);
  if (!link?.userId || link.email === null) throw new ServiceError('link_invalid');
  const { userId, email } = link;
  await checkNewPassword(given.password, email);
  const hash = await hashPassword(given.password);
  await transaction(pool, async (tx) => {
    await spendLink(tx, 'reset', given.token, now);
    // Lock links before the user, in the same order as a request that opens a link.
    await voidPendingChanges(tx, { userId, now });
    // The mail proves the mailbox too. A link to a former address of the account is invalid.
    const { rows } = await tx.query<{ locale: string | null }>(
      `UPDATE users SET password_hash = $3, password_changed_at = $4, email_confirmed_at = coalesce(email_confirmed_at, $4)
       WHERE id = $1 AND email = $2 AND disabled_at IS NULL RETURNING locale`,
      [userId, email, hash, now],
    );
    if (!rows[0]) throw new ServiceError('link_invalid');
    await noteMailboxProof(tx, userId, now);
    await endLogins(tx, { userId, now });
    const values = { link: `${config.PUBLIC_URL}/reset` };
    await queueMail(tx, context, { to: email, kind: 'PasswordChanged', values, locale: rows[0].locale, now });
    await auditAccount(tx, { userId, action: 'password', details: { by: 'reset' }, address: given.from.address, now });
  });
  await resetAttempts(pool, 'account', email);
}
