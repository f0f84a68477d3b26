// A forgotten password: a link to the mailbox of the account, good once and for a quarter of an hour. Who asks is told the same
// and waits the same whether or not there is such an account; when the password changes every device is signed out, and links for
// another password or address are void.

import { hashPassword } from '@/lib/merchants/accounts/password/password';
import { checkEmail, checkNewPassword } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { auditAccount } from '@/lib/merchants/accounts/account-audit';
import { noteMailboxProof } from '@/lib/merchants/accounts/second-factor/factor-setup';
import type { From } from '@/lib/merchants/accounts/from';
import { countedGroup } from '@/lib/merchants/accounts/sign-in/group';
import { makeLink, readLink, spendLink, voidPendingChanges } from '@/lib/merchants/accounts/links';
import { endLogins } from '@/lib/merchants/accounts/sign-in/logins';
import { forgive, takeAttempt } from '@/lib/merchants/accounts/sign-in/throttle';

/** Undoes what was written for nobody. */
class Nobody extends Error {}
const NOBODY = { id: '00000000-0000-4000-8000-000000000000', locale: null };

/** Throws INVALID_PARAMETER for what is no address, RATE_LIMITED for one that is asked about too often. */
export async function requestReset(context: Context, given: { email: string; from: From }): Promise<void> {
  const { pool, clock, config } = context;
  const email = checkEmail(given.email);
  const group = countedGroup(config, given.from.address);
  if (group !== '') await takeAttempt(context, 'address', `reset ${group}`);
  await takeAttempt(context, 'mail', `reset ${email}`);
  const now = clock.now();
  const { rows } = await pool.query<{ id: string; locale: string | null }>(
    'SELECT id, locale FROM users WHERE email = $1 AND disabled_at IS NULL',
    [email],
  );
  const user = rows[0] ?? NOBODY;
  try {
    // For nobody the same is written and taken back, so that the time taken tells nothing.
    await transaction(pool, async (tx) => {
      const link = await makeLink(tx, config, { purpose: 'reset', userId: user.id, email, now });
      await queueMail(tx, context, { to: email, kind: 'Reset', values: { link }, locale: user.locale, now });
      if (user === NOBODY) throw new Nobody();
    });
  } catch (error) {
    if (!(error instanceof Nobody)) throw error;
  }
}

/** Sets the password by link. Throws link_invalid, or INVALID_PARAMETER for the password; then the link stays good. */
export async function resetPassword(
  context: Context,
  given: { token: string; password: string; from: From },
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
    // Links before the user, as who opens one of them takes their locks.
    await voidPendingChanges(tx, { userId, now });
    // The mail proves the mailbox too. An account that has another address by now is not the link's any more.
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
  await forgive(pool, 'account', email);
}
