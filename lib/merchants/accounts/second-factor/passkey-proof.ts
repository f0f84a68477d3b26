// Verifies a passkey's answer to our challenge and uses the challenge up. With the authenticator's own check of its user (a
// fingerprint, a PIN) it counts as two factors, so it signs in alone.

import { randomBytes } from 'node:crypto';
import {
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
  type AuthenticationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { sha256 } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;
type Purpose = 'register' | 'sign_in' | 'prove';

/** Long enough to fetch a security key. */
const CHALLENGE_SECONDS = 5 * 60;
const text = z.string().max(20_000);

/** The fields of every answer of a browser about a passkey. */
export const credentialFields = {
  id: z.string().min(1).max(1400),
  rawId: z.string().max(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['cross-platform', 'platform']).optional(),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
};

/** The shape that browsers answer. The library validates its content. */
export const passkeyAnswer = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.nullish().transform((value) => value ?? undefined),
  }),
});
export type PasskeyAnswer = z.output<typeof passkeyAnswer>;

/** Options for a browser to sign: with any passkey of this service, or with one of a login's user. */
export async function passkeyOptions(deps: Deps, of: { loginId: string; userId: string } | null) {
  const challenge = await keepChallenge(deps, of === null ? 'sign_in' : 'prove', of?.loginId ?? null);
  return signingOptions(deps, challenge, of === null ? null : await passkeysOf(deps, of.userId));
}

type Allowed = readonly { readonly id: string; readonly transports: string[] }[];

/** Options for a browser to sign a challenge with one of these passkeys, or with any when it is null. */
export const signingOptions = (
  deps: Pick<Deps, 'config'>,
  challenge: Uint8Array<ArrayBuffer>,
  passkeys: Allowed | null,
): ReturnType<typeof generateAuthenticationOptions> =>
  generateAuthenticationOptions({
    rpID: relyingParty(deps).id,
    challenge,
    userVerification: 'required',
    timeout: CHALLENGE_SECONDS * 1000,
    ...(passkeys === null ? {} : { allowCredentials: passkeys as never }),
  });

export async function passkeysOf({ pool }: Pick<Deps, 'pool'>, userId: string): Promise<Allowed> {
  return (await prismaOn(pool)).passkey.findMany({ where: { userId }, select: { id: true, transports: true } });
}

/**
 * The user whose passkey answered correctly; null when the answer is not valid. `loginId`: the login that was challenged, null
 * for signing in.
 */
export const provePasskey = (
  deps: Deps,
  answer: PasskeyAnswer,
  loginId: string | null,
): Promise<{ userId: string } | null> =>
  verifyPasskey(deps, answer, (challenge) =>
    spendChallenge(deps, { challenge, purpose: loginId === null ? 'sign_in' : 'prove', subject: loginId }),
  );

/** The user whose passkey signed the expected challenge with user verification; null when the answer is not valid. */
export async function verifyPasskey(
  deps: Deps,
  answer: PasskeyAnswer,
  expectedChallenge: string | ((challenge: string) => Promise<boolean>),
): Promise<{ userId: string } | null> {
  const prisma = await prismaOn(deps.pool);
  const row = await prisma.passkey.findUnique({
    where: { id: answer.id },
    select: { userId: true, publicKey: true, counter: true },
  });
  if (!row) return null;
  const { id, origin } = relyingParty(deps);
  const verdict = await verifyAuthenticationResponse({
    response: answer as AuthenticationResponseJSON,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    credential: { id: answer.id, publicKey: row.publicKey, counter: Number(row.counter) },
    requireUserVerification: true,
  }).catch(refusedAsWrong);
  if (!verdict?.verified) return null;
  // A counter that does not grow indicates a copy of the key. Many keys do not count and always report 0.
  const counter = verdict.authenticationInfo.newCounter;
  const { rowCount } = await deps.pool.query(
    'UPDATE passkeys SET counter = $2, last_used_at = $3 WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))',
    [answer.id, counter, deps.clock.now()],
  );
  return rowCount === 1 ? { userId: row.userId } : null;
}

/** Whether an answer is to a challenge for signing in by a passkey alone. It proves nothing yet. */
export async function isForSignIn({ pool }: Pick<Deps, 'pool'>, answer: PasskeyAnswer): Promise<boolean> {
  const read = /"challenge":"([\w-]{1,200})"/.exec(Buffer.from(answer.response.clientDataJSON, 'base64url').toString());
  const challengeHash = new Uint8Array(sha256(read?.[1] ?? ''));
  return (await (await prismaOn(pool)).passkeyChallenge.count({ where: { challengeHash, purpose: 'sign_in' } })) > 0;
}

/** The library throws plain Errors for an invalid answer and for an unreadable one. */
export function refusedAsWrong(error: unknown): null {
  if (error instanceof Error) return null;
  throw error;
}

/** A new challenge, stored by its digest until it is answered. */
export async function keepChallenge(
  { pool, clock }: Deps,
  purpose: Purpose,
  subject: string | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32));
  const challengeHash = new Uint8Array(sha256(Buffer.from(challenge).toString('base64url')));
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_SECONDS * 1000);
  const prisma = await prismaOn(pool);
  await prisma.passkeyChallenge.create({
    data: { challengeHash, purpose, subject, expiresAt },
    select: { purpose: true },
  });
  return challenge;
}

/** Uses up a challenge. False when it is unknown, too old, or was answered before. */
export async function spendChallenge(
  { pool, clock }: Deps,
  of: { challenge: string; purpose: Purpose; subject: string | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `DELETE FROM passkey_challenges
     WHERE challenge_hash = $1 AND purpose = $2 AND subject IS NOT DISTINCT FROM $3::uuid AND expires_at > $4`,
    [sha256(of.challenge), of.purpose, of.subject, clock.now()],
  );
  return rowCount === 1;
}

/** Passkeys belong to the host of the public address, from the settings and never from a request. */
export const relyingParty = ({ config }: Pick<Context, 'config'>): { id: string; origin: string } => ({
  id: new URL(config.PUBLIC_URL).hostname,
  origin: config.PUBLIC_URL,
});

/** Part of a worker step. */
export const clearChallenges = async (db: Db, now: Date): Promise<void> =>
  void (await db.query('DELETE FROM passkey_challenges WHERE expires_at < $1', [now]));
