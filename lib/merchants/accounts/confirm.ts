// Confirms an e-mail address by a mailed link, which also sets the account's password. The account belongs to the owner of the
// mailbox, and not the visitor who signed up with its address.

import { hashPassword } from '@/lib/merchants/accounts/password/password';
import { checkNewPassword } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { noteMailboxProof } from './second-factor/factor-setup';
import { makeLink, readLink, spendLink } from './links';

/** Queues the mail with the link. A no-op for a confirmed address. */
export async function queueConfirmation(tx: Tx, context: Context, userId: string): Promise<void> {
  const now = context.clock.now();
  const prisma = await prismaOn(tx);
  const user = await prisma.user.findUnique({
    where: { id: userId, emailConfirmedAt: null },
    select: { email: true, locale: true },
  });
  if (!user) return;
  const link = await makeLink(tx, context.config, { purpose: 'confirm', userId, email: user.email, now });
  await queueMail(tx, context, { to: user.email, kind: 'Confirm', values: { link }, locale: user.locale, now });
}

/**
 * Confirms the address and sets the password by link. Returns the address, for signing in. Throws link_invalid, or
 * INVALID_PARAMETER for the password; the link then stays valid.
 */
export async function confirmEmail(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  given: { readonly token: string; readonly password: string },
): Promise<{ readonly email: string }> {
  const now = clock.now();
  const link = await readLink(pool, 'confirm', given.token, now);
  if (!link?.userId || link.email === null) throw new ServiceError('link_invalid');
  const { userId, email } = link;
  await checkNewPassword(given.password, email);
  const hash = await hashPassword(given.password);
  await transaction(pool, async (tx) => {
    await spendLink(tx, 'confirm', given.token, now);
    // An account that was confirmed another way already has a password.
    const prisma = await prismaOn(tx);
    const { count } = await prisma.user.updateMany({
      where: { id: userId, email, emailConfirmedAt: null, disabledAt: null },
      data: { emailConfirmedAt: now, passwordHash: hash },
    });
    if (count !== 1) throw new ServiceError('link_invalid');
    await noteMailboxProof(tx, userId, now);
  });
  return { email };
}
