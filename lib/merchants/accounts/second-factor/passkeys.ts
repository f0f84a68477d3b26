// Registers, lists and removes a user's passkeys. The first one brings recovery codes, because a lost device would otherwise be
// a lost account.

import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { Context } from '@/lib/platform/context';
import { sqlState, SqlState, transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import { needFactorSetup } from './factor-setup';
import { needFactorLeft } from './last-factor';
import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import { checkName } from '@/lib/merchants/accounts/name';
import { credentialFields, keepChallenge, refusedAsWrong, relyingParty, spendChallenge } from './passkey-proof';
import { countRecoveryCodes, makeRecoveryCodes } from './recovery-codes';
import { dropCodesWithoutFactor, notifyOwner } from './two-factor';

const MAX_PASSKEYS = 20;
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
const text = z.string().max(40_000);

/** The shape that browsers answer when they created a passkey. */
export const newPasskeyAnswer = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
});
export type NewPasskeyAnswer = z.output<typeof newPasskeyAnswer>;

export type PasskeyRow = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** COSE. */
  readonly publicKey: Buffer;
};

/** Options for a browser to create a passkey. */
export async function newPasskeyOptions(context: Context, who: Who) {
  await needFactorSetup(context, who);
  const where = { userId: who.userId };
  const known = await (await prismaOn(context.pool)).passkey.findMany({ where, select: { id: true } });
  if (known.length >= MAX_PASSKEYS)
    throw new ServiceError('INVALID_PARAMETER', { message: `An account has at most ${MAX_PASSKEYS} passkeys.` });
  return generateRegistrationOptions({
    rpName: 'Stabletill',
    rpID: relyingParty(context).id,
    userName: who.email,
    userID: new Uint8Array(Buffer.from(who.userId.replaceAll('-', ''), 'hex')),
    challenge: await keepChallenge(context, 'register', who.userId),
    attestationType: 'none',
    excludeCredentials: known,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
}

/** Stores a new passkey. Returns recovery codes when there were none. Throws sign_in_failed for an invalid one. */
export async function addPasskey(
  context: Context,
  who: Who,
  given: { name: string; answer: NewPasskeyAnswer; from: RequestSource },
): Promise<{ id: string; recovery_codes: string[] }> {
  await needFactorSetup(context, who);
  const { userId } = who;
  const name = checkName(given.name) || 'Passkey';
  const { id, origin } = relyingParty(context);
  const verdict = await verifyRegistrationResponse({
    response: given.answer as RegistrationResponseJSON,
    expectedChallenge: (challenge) => spendChallenge(context, { challenge, purpose: 'register', subject: userId }),
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch(refusedAsWrong);
  if (!verdict?.verified) throw new ServiceError('sign_in_failed', { message: 'The passkey could not be checked.' });
  const { credential } = verdict.registrationInfo;
  const transports = given.answer.response.transports.filter((one) => (TRANSPORTS as readonly string[]).includes(one));
  const now = context.clock.now();
  try {
    return await transaction(context.pool, async (tx) => {
      const prisma = await prismaOn(tx);
      const { id: passkeyId, counter } = credential;
      const publicKey = new Uint8Array(credential.publicKey);
      const data = { id: passkeyId, userId, name, publicKey, counter, transports, createdAt: now };
      await prisma.passkey.create({ data, select: { id: true } });
      // This device has just used the factor.
      await prisma.login.updateMany({
        where: { id: who.loginId, secondFactorAt: null },
        data: { secondFactorAt: now },
      });
      const codes = (await countRecoveryCodes(tx, userId)) > 0 ? [] : await makeRecoveryCodes(tx, userId);
      await notifyOwner(tx, context, who, { action: 'passkey_added', from: given.from, now });
      return { id: credential.id, recovery_codes: codes };
    });
  } catch (error) {
    if (sqlState(error) !== SqlState.uniqueViolation) throw error;
    throw new ServiceError('INVALID_PARAMETER', { message: 'This passkey is registered already.', cause: error });
  }
}

/** The user's passkeys, the oldest first. */
export async function listPasskeys({ pool }: Pick<Context, 'pool'>, userId: string): Promise<PasskeyRow[]> {
  const prisma = await prismaOn(pool);
  const passkeys = await prisma.passkey.findMany({
    where: { userId },
    select: { id: true, name: true, createdAt: true, lastUsedAt: true, publicKey: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return passkeys.map((one) => ({ ...one, publicKey: Buffer.from(one.publicKey) }));
}

/** Throws NOT_FOUND when the user has no such passkey, LAST_FACTOR when it is an operator's last factor. */
export async function removePasskey(
  context: Context,
  who: Who,
  given: { id: string; from: RequestSource },
): Promise<void> {
  const now = context.clock.now();
  await transaction(context.pool, async (tx) => {
    const where = { id: given.id, userId: who.userId };
    const { count } = await (await prismaOn(tx)).passkey.deleteMany({ where });
    if (count !== 1) throw new ServiceError('NOT_FOUND', { message: 'There is no such passkey.' });
    await needFactorLeft(tx, context, who.userId);
    await dropCodesWithoutFactor(tx, who.userId);
    await notifyOwner(tx, context, who, { action: 'passkey_removed', from: given.from, now });
  });
}
