// The confirmation of an e-mail address. The link alone is not enough, the password is asked for too: otherwise a stranger could
// sign up with somebody's address and a password of their own, and have the owner of the address confirm it.

import { verifyPassword } from '@/lib/auth/password';
import type { Context } from '@/lib/context';
import { transaction, type Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { queueMail } from '@/lib/mail/queue';
import { noteMailboxProof } from './factor-setup';
import { makeLink, readLink, spendLink } from './links';
import { forgive, takeAttempt } from './throttle';

/** Sends the link, at most a few times an hour. Does nothing for an address that is confirmed. */
export async function sendConfirmation(context: Context, userId: string): Promise<void> {
  try {
    await takeAttempt(context, 'mail', userId);
  } catch (error) {
    // Who asks too often keeps the mail that was sent before.
    if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return;
    throw error;
  }
  await transaction(context.pool, (tx) => queueConfirmation(tx, context, userId));
}

/** The same, within a transaction. */
export async function queueConfirmation(tx: Tx, context: Context, userId: string): Promise<void> {
  const now = context.clock.now();
  const { rows } = await tx.query<{ email: string; locale: string | null }>(
    'SELECT email, locale FROM users WHERE id = $1 AND email_confirmed_at IS NULL',
    [userId],
  );
  const [user] = rows;
  if (!user) return;
  const link = await makeLink(tx, context.config, { purpose: 'confirm', userId, email: user.email, now });
  await queueMail(tx, context, { to: user.email, kind: 'Confirm', values: { link }, locale: user.locale, now });
}

/** Confirms the address by link and password. Throws link_invalid, sign_in_failed or RATE_LIMITED. */
export async function confirmEmail(context: Context, given: { token: string; password: string }): Promise<void> {
  const { pool, clock } = context;
  const now = clock.now();
  const link = await readLink(pool, 'confirm', given.token, now);
  if (!link?.userId) throw new ServiceError('link_invalid');
  const { userId } = link;
  await takeAttempt(context, 'code', `confirm ${userId}`);
  const { rows } = await pool.query<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = $1', [
    userId,
  ]);
  if (!(await verifyPassword(rows[0]?.password_hash ?? null, given.password)))
    throw new ServiceError('sign_in_failed', { message: 'The password is wrong.' });
  await transaction(pool, async (tx) => {
    const spent = await spendLink(tx, 'confirm', given.token, now);
    const { rowCount } = await tx.query(
      'UPDATE users SET email_confirmed_at = coalesce(email_confirmed_at, $3) WHERE id = $1 AND email = $2 AND password_hash = $4',
      [userId, spent.email, now, rows[0]?.password_hash],
    );
    if (rowCount !== 1) throw new ServiceError('link_invalid');
    await noteMailboxProof(tx, userId, now);
  });
  await forgive(pool, 'code', `confirm ${userId}`);
}
