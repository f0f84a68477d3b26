// A signed-in user changes the password. It requires the present password, signs every other device out, and voids links for
// another password or address.

import { hashPassword, verifyPassword } from '@/lib/merchants/accounts/password/password';
import { checkNewPassword } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { noteSecurity } from '@/lib/platform/security/events';
import { auditAccount } from '@/lib/merchants/accounts/account-audit';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import { voidPendingChanges } from '@/lib/merchants/accounts/links';
import { endLogins, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import { resetAttempts, takeAttempt } from '@/lib/merchants/accounts/sign-in/throttle';

/** Throws sign_in_failed when the present password is wrong, INVALID_PARAMETER for the new one, RATE_LIMITED. */
export async function changePassword(
  context: Context,
  who: Who,
  given: { current: string; password: string; from: RequestSource },
): Promise<void> {
  const { pool, clock, config } = context;
  const { userId, email } = who;
  const former = await checkPassword(context, userId, { password: given.current, from: given.from });
  await checkNewPassword(given.password, email);
  const hash = await hashPassword(given.password);
  const now = clock.now();
  await transaction(pool, async (tx) => {
    // Lock links before the user, in the same order as a request that opens a link.
    await voidPendingChanges(tx, { userId, now });
    const prisma = await prismaOn(tx);
    const { count } = await prisma.user.updateMany({
      where: { id: userId, passwordHash: former },
      data: { passwordHash: hash, passwordChangedAt: now },
    });
    if (count !== 1) throw new ServiceError('sign_in_failed', { message: 'The password was changed just now.' });
    await endLogins(tx, { userId, except: who.loginId, now });
    const values = { link: `${config.PUBLIC_URL}/reset` };
    await queueMail(tx, context, { to: email, kind: 'PasswordChanged', values, locale: who.locale, now });
    await auditAccount(tx, { userId, action: 'password', details: { by: 'user' }, address: given.from.address, now });
  });
}

/** The stored hash if the password is right. Throws sign_in_failed or RATE_LIMITED. */
export async function checkPassword(
  context: Context,
  userId: string,
  { password, from: { address } }: { password: string; from: RequestSource },
): Promise<string> {
  const subject = `password ${userId}`;
  const about = { account: userId, address };
  await takeAttempt(context, 'code', subject, about);
  const prisma = await prismaOn(context.pool);
  const user = await prisma.user.findUnique({
    where: { id: userId, disabledAt: null },
    select: { passwordHash: true },
  });
  const hash = user?.passwordHash ?? null;
  const isRight = await verifyPassword(hash, password);
  if (!isRight || hash === null) {
    noteSecurity(context, { ...about, kind: 'step_up_failed' });
    throw new ServiceError('sign_in_failed', { message: 'The password or code is wrong.' });
  }
  await resetAttempts(context.pool, 'code', subject);
  return hash;
}
