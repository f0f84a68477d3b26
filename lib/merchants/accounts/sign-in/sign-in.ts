// Signs in, in one stage or two: the password, then the second factor if the account has one. Between the two the login exists
// but may do nothing. Every failure gives the same answer after the same work.

import { normalEmail } from '@/lib/merchants/accounts/users';
import { verifyPassword } from '@/lib/merchants/accounts/password/password';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { recordAudit } from '@/lib/merchants/audit/record';
import { noteSecurity, type SecurityEvent } from '@/lib/platform/security/events';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import { attemptGroup } from './attempt-group';
import type { KnownDevice } from './known-device';
import { beginLogin, completeLogin, findLogin } from './logins';
import { notifyNewSignIn } from './new-sign-in';
import { provePasskey, type PasskeyAnswer } from '@/lib/merchants/accounts/second-factor/passkey-proof';
import { proveSecondFactor, type Proof } from '@/lib/merchants/accounts/second-factor/second-factor';
import { resetAttempts, takeAttempt, releaseAttempt } from './throttle';

/** `token`: for the cookie. `isComplete`: false while the second factor is missing. */
export type SignedIn = { readonly token: string; readonly userId: string; readonly isComplete: boolean };

type UserRow = {
  id: string;
  password_hash: string | null;
  disabled_at: Date | null;
  email_confirmed_at: Date | null;
  has_factor: boolean;
  is_known_there: boolean;
};

/** The first stage. Throws sign_in_failed or RATE_LIMITED. */
export async function signInByPassword(
  context: Context,
  given: { email: string; password: string; from: RequestSource; device?: KnownDevice | null },
): Promise<SignedIn> {
  const { pool, clock } = context;
  const { from } = given;
  const email = normalEmail(given.email);
  const group = attemptGroup(context.config, from.address);
  const user = email === null ? null : await findUser(context, email, from.address);
  const device = user !== null && given.device?.userId === user.id ? given.device : null;
  const account = accountSubject({ email, group, isKnownThere: user?.is_known_there === true, device });
  const about = { address: from.address, account: user?.id };
  if (group !== '') await takeAttempt(context, 'address', group, about);
  await takeAttempt(context, 'account', account, about);
  const isRight = await verifyPassword(user?.password_hash ?? null, given.password);
  const isOpen = user?.email_confirmed_at instanceof Date && user.disabled_at === null;
  if (!user || !isRight || !isOpen) throw refused(context, { ...about, kind: 'sign_in_failed' });
  await resetAttempts(pool, 'account', account);
  if (group !== '') await releaseAttempt(pool, 'address', group);
  const isComplete = !user.has_factor;
  const now = clock.now();
  const token = await transaction(pool, async (tx) => {
    const begun = await beginLogin(tx, { userId: user.id, isComplete, hasFactor: user.has_factor, from, now });
    if (isComplete) await recordSignIn(tx, context, { userId: user.id, by: 'password', from, device, now });
    return begun;
  });
  return { token, userId: user.id, isComplete };
}

/** The second stage, for the login that the first one began. Throws not_signed_in, sign_in_failed or RATE_LIMITED. */
export async function completeSignIn(
  context: Context,
  given: { token: string; proof: Proof; from: RequestSource; device?: KnownDevice | null },
): Promise<SignedIn> {
  const { token, proof, from, device = null } = given;
  const who = await findLogin(context, token);
  if (!who || who.isComplete) throw new ServiceError('not_signed_in');
  const { userId, loginId } = who;
  const { address } = from;
  const proven = await proveSecondFactor(context, { userId, loginId, proof, address });
  if (proven === null) throw refused(context, { address, account: userId, kind: 'factor_failed' });
  const now = context.clock.now();
  const renewed = await transaction(context.pool, async (tx) => {
    const completed = await completeLogin(tx, loginId, now);
    await recordSignIn(tx, context, { userId, by: proven, from, device, now });
    return completed;
  });
  return { token: renewed, userId, isComplete: true };
}

/** Signs in by a passkey alone, whose authenticator verifies its user. Throws sign_in_failed or RATE_LIMITED. */
export async function signInByPasskey(
  context: Context,
  { answer, from, device = null }: { answer: PasskeyAnswer; from: RequestSource; device?: KnownDevice | null },
): Promise<SignedIn> {
  const group = attemptGroup(context.config, from.address);
  const { address } = from;
  if (group !== '') await takeAttempt(context, 'address', group, { address });
  const owner = await provePasskey(context, answer, null);
  const prisma = await prismaOn(context.pool);
  const found =
    owner &&
    (await prisma.user.findUnique({
      where: { id: owner.userId, disabledAt: null, emailConfirmedAt: { not: null } },
      select: { id: true },
    }));
  const userId = found?.id;
  if (userId === undefined) throw refused(context, { address, account: owner?.userId, kind: 'sign_in_failed' });
  if (group !== '') await releaseAttempt(context.pool, 'address', group);
  const now = context.clock.now();
  const token = await transaction(context.pool, async (tx) => {
    const begun = await beginLogin(tx, { userId, isComplete: true, hasFactor: true, from, now });
    await recordSignIn(tx, context, { userId, by: 'passkey', from, device, now });
    return begun;
  });
  return { token, userId, isComplete: true };
}

type AccountAttempt = {
  readonly email: string | null;
  readonly group: string;
  readonly isKnownThere: boolean;
  readonly device: KnownDevice | null;
};

/** Whose attempts count together. Strangers cannot make the owner wait on a known device or at a known address. */
function accountSubject({ email, group, isKnownThere, device }: AccountAttempt): string {
  if (email === null) return 'no address';
  if (device) return `${email} on ${device.id}`;
  return isKnownThere ? `${email} from ${group}` : email;
}

/** Notes the refusal and returns it. */
function refused(context: Context, event: SecurityEvent): ServiceError {
  noteSecurity(context, event);
  return new ServiceError('sign_in_failed');
}

async function findUser({ pool }: Context, email: string, address: string): Promise<UserRow | null> {
  const { rows } = await pool.query<UserRow>({
    name: 'sign-in-user',
    text: `SELECT id, password_hash, disabled_at, email_confirmed_at,
                  totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) AS has_factor,
                  EXISTS (SELECT FROM logins l WHERE l.user_id = u.id AND l.address = $2 AND l.step_up_at IS NOT NULL) AS is_known_there
           FROM users u WHERE email = $1`,
    values: [email, address],
  });
  return rows[0] ?? null;
}

type Completed = { userId: string; by: string; from: RequestSource; device: KnownDevice | null; now: Date };

/** Records a complete sign-in, and notifies the account's owner when it is from a new place. */
async function recordSignIn(tx: Tx, context: Context, { userId, by, from, device, now }: Completed): Promise<void> {
  await recordAudit(tx, {
    actor: `user:${userId}`,
    storeId: null,
    action: 'account.sign_in',
    target: userId,
    details: { by, user_agent: from.userAgent },
    address: from.address,
    now,
  });
  await notifyNewSignIn(tx, context, { userId, from, device, now });
}
