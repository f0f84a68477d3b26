// Sets up and removes an authenticator, and renews recovery codes. The callers require a step-up. The owner is mailed about
// every change.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { auditAccount } from '@/lib/merchants/accounts/account-audit';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import { needFactorSetup } from './factor-setup';
import { needFactorLeft } from './last-factor';
import { endLogins, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import { makeRecoveryCodes } from './recovery-codes';
import { takeAttempt, resetAttempts } from '@/lib/merchants/accounts/sign-in/throttle';
import { matchStep, newTotpSecret, openTotp, sealTotp, stepOf, totpUri } from './totp';

/**
 * Creates a secret for the app, not yet in force. Throws INVALID_PARAMETER while another one is in force, FACTOR_SETUP_CLOSED.
 */
export async function enrolTotp(context: Context, who: Who): Promise<{ secret: string; uri: string }> {
  await needFactorSetup(context, who);
  const secret = newTotpSecret();
  const totpCiphertext = new Uint8Array(sealTotp(context, who.userId, secret));
  const prisma = await prismaOn(context.pool);
  const { count } = await prisma.user.updateMany({
    where: { id: who.userId, totpConfirmedAt: null },
    data: { totpCiphertext, totpLastStep: null, totpDrift: 0 },
  });
  if (count !== 1) {
    const message = 'An authenticator is set up already. Take it away first.';
    throw new ServiceError('INVALID_PARAMETER', { message });
  }
  return { secret, uri: totpUri(secret, who.email) };
}

/**
 * Activates the authenticator with one of its codes and measures its clock offset, half a minute at most. Returns recovery
 * codes, shown once. Signs other devices out. Throws sign_in_failed or RATE_LIMITED.
 */
export async function confirmTotp(
  context: Context,
  who: Who,
  given: { code: string; from: RequestSource },
): Promise<{ recovery_codes: string[] }> {
  const { pool, clock } = context;
  await needFactorSetup(context, who);
  const { userId } = who;
  await takeAttempt(context, 'code', userId);
  const now = clock.now();
  const codes = await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ totp_ciphertext: Buffer }>(
      'SELECT totp_ciphertext FROM users WHERE id = $1 AND totp_confirmed_at IS NULL AND totp_ciphertext IS NOT NULL FOR UPDATE',
      [userId],
    );
    const [row] = rows;
    const secret = row ? openTotp(context, userId, row.totp_ciphertext) : null;
    const step = secret === null ? null : matchStep(secret, given.code.replaceAll(' ', ''), now, [0, -1, 1]);
    if (step === null) return null;
    const prisma = await prismaOn(tx);
    await prisma.user.updateMany({
      where: { id: userId },
      data: { totpConfirmedAt: now, totpLastStep: step, totpDrift: Number(step - stepOf(now)) },
    });
    // This device has just used the factor; the others have not.
    await prisma.login.updateMany({ where: { id: who.loginId }, data: { secondFactorAt: now } });
    await endLogins(tx, { userId, except: who.loginId, now });
    const made = await makeRecoveryCodes(tx, userId);
    await notifyOwner(tx, context, who, { action: 'totp_added', from: given.from, now });
    return made;
  });
  if (codes === null) throw new ServiceError('sign_in_failed', { message: 'The code is wrong.' });
  await resetAttempts(pool, 'code', userId);
  return { recovery_codes: codes };
}

/** Removes the authenticator. Recovery codes go with the last factor. Throws NOT_FOUND, or LAST_FACTOR (last-factor.ts). */
export async function removeTotp(context: Context, who: Who, from: RequestSource): Promise<void> {
  const now = context.clock.now();
  await transaction(context.pool, async (tx) => {
    const prisma = await prismaOn(tx);
    const { count } = await prisma.user.updateMany({
      where: { id: who.userId, totpConfirmedAt: { not: null } },
      data: { totpCiphertext: null, totpConfirmedAt: null, totpLastStep: null, totpDrift: 0 },
    });
    if (count !== 1) throw new ServiceError('NOT_FOUND', { message: 'No authenticator is set up.' });
    await needFactorLeft(tx, context, who.userId);
    await dropCodesWithoutFactor(tx, who.userId);
    await notifyOwner(tx, context, who, { action: 'totp_removed', from, now });
  });
}

/** Replaces the recovery codes. Throws NOT_FOUND for a user without a second factor. */
export async function renewRecoveryCodes(
  context: Context,
  who: Who,
  from: RequestSource,
): Promise<{ recovery_codes: string[] }> {
  if (!who.hasTotp && !who.hasPasskeys)
    throw new ServiceError('NOT_FOUND', { message: 'Set an authenticator or a passkey up first.' });
  const now = context.clock.now();
  return transaction(context.pool, async (tx) => {
    const codes = await makeRecoveryCodes(tx, who.userId);
    await notifyOwner(tx, context, who, { action: 'recovery_codes', from, now });
    return { recovery_codes: codes };
  });
}

/** Mails the owner of an account and records the change in the audit log. */
export async function notifyOwner(
  tx: Tx,
  context: Context,
  who: Who,
  { action, from, now }: { action: string; from: RequestSource; now: Date },
): Promise<void> {
  const values = { link: `${context.config.PUBLIC_URL}/dashboard/account` };
  await queueMail(tx, context, { to: who.email, kind: 'FactorsChanged', values, locale: who.locale, now });
  await auditAccount(tx, { userId: who.userId, action, address: from.address, now });
}

/** A recovery code without a factor to replace would only be another password. */
export async function dropCodesWithoutFactor(tx: Tx, userId: string): Promise<void> {
  const user = { totpConfirmedAt: null, passkeys: { none: {} } };
  await (await prismaOn(tx)).recoveryCode.deleteMany({ where: { userId, user } });
}
