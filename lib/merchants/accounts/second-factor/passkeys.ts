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
import { ServiceError } from '@/lib/platform/errors/errors';
import type { From } from '@/lib/merchants/accounts/from';
import { needFactorSetup } from './factor-setup';
import { needFactorLeft } from './last-factor';
import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import { checkName } from '@/lib/merchants/accounts/name';
import { keepChallenge, refusedAsWrong, relyingParty, spendChallenge } from './passkey-proof';
import { countRecoveryCodes, makeRecoveryCodes } from './recovery-codes';
import { dropCodesWithoutFactor, notifyOwner } from './two-factor';

const MOST_PASSKEYS = 20;
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
const text = z.string().max(40_000);

/** The shape that browsers answer when they created a passkey. */
export const newPasskeyAnswer = z.object({
  id: z.string().min(1).max(1400),
  rawId: z.string().max(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['cross-platform', 'platform']).optional(),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
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
export async function askForNewPasskey(context: Context, who: Who) {
  await needFactorSetup(context, who);
  const { rows } = await context.pool.query<{ id: string }>('SELECT id FROM passkeys WHERE user_id = $1', [who.userId]);
  if (rows.length >= MOST_PASSKEYS)
    throw new ServiceError('INVALID_PARAMETER', { message: `An account has at most ${MOST_PASSKEYS} passkeys.` });
  return generateRegistrationOptions({
    rpName: 'Stabletill',
    rpID: relyingParty(context).id,
    userName: who.email,
    userID: new Uint8Array(Buffer.from(who.userId.replaceAll('-', ''), 'hex')),
    challenge: await keepChallenge(context, 'register', who.userId),
    attestationType: 'none',
    excludeCredentials: rows,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
}

/** Stores a new passkey. Returns recovery codes when there were none. Throws sign_in_failed for an invalid one. */
export async function addPasskey(
  context: Context,
  who: Who,
  given: { name: string; answer: NewPasskeyAnswer; from: From },
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
      await tx.query(
        `INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [credential.id, userId, name, Buffer.from(credential.publicKey), credential.counter, transports, now],
      );
      // This device has just used the factor.
      await tx.query('UPDATE logins SET second_factor_at = coalesce(second_factor_at, $2) WHERE id = $1', [
        who.loginId,
        now,
      ]);
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
  const { rows } = await pool.query<PasskeyRow>(
    `SELECT id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt", public_key AS "publicKey" FROM passkeys
     WHERE user_id = $1 ORDER BY created_at, id`,
    [userId],
  );
  return rows;
}

/** Throws NOT_FOUND when the user has no such passkey, LAST_FACTOR when it is an operator's last factor. */
export async function removePasskey(context: Context, who: Who, given: { id: string; from: From }): Promise<void> {
  const now = context.clock.now();
  await transaction(context.pool, async (tx) => {
    const { rowCount } = await tx.query('DELETE FROM passkeys WHERE id = $1 AND user_id = $2', [given.id, who.userId]);
    if (rowCount !== 1) throw new ServiceError('NOT_FOUND', { message: 'There is no such passkey.' });
    await needFactorLeft(tx, context, who.userId);
    await dropCodesWithoutFactor(tx, who.userId);
    await notifyOwner(tx, context, who, { action: 'passkey_removed', from: given.from, now });
  });
}
