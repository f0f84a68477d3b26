// Codes of an authenticator app (RFC 6238: six digits, thirty seconds). A code is valid once, in its own half minute or at the
// clock offset that was measured at enrolment.

import { generateSecret, generateSync, generateURI, verifySync } from 'otplib';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openSecret, sealSecret } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';

const PERIOD_SECONDS = 30;
const ISSUER = 'Stabletill';

export const newTotpSecret = (): string => generateSecret();

/** The content of the QR code for an authenticator app. */
export const totpUri = (secret: string, email: string): string => generateURI({ issuer: ISSUER, label: email, secret });

/** The code at a time. For tests only, never for a request. */
export const totpCode = (secret: string, now: Date): string => generateSync({ secret, epoch: unixSeconds(now) });

/** The allowed step (relative to now) that this code belongs to; null when it matches none. */
export function matchStep(secret: string, code: string, now: Date, drifts: readonly number[]): bigint | null {
  if (!/^\d{6}$/.test(code)) return null;
  const seconds = unixSeconds(now);
  for (const drift of drifts) {
    const epoch = seconds + drift * PERIOD_SECONDS;
    if (verifySync({ secret, token: code, epoch }).valid) return BigInt(Math.floor(epoch / PERIOD_SECONDS));
  }
  return null;
}

/** The step of a time. */
export const stepOf = (now: Date): bigint => BigInt(Math.floor(unixSeconds(now) / PERIOD_SECONDS));

/**
 * Uses up a code of the user's confirmed authenticator. False when it is wrong, of another half minute, or not newer than the
 * last one used. Of two requests with the same code, the database lets one pass.
 */
export async function spendTotp(
  db: Db,
  { config }: Pick<Context, 'config'>,
  of: { userId: string; code: string; now: Date },
): Promise<boolean> {
  const { rows } = await db.query<{ totp_ciphertext: Buffer; totp_drift: number }>(
    'SELECT totp_ciphertext, totp_drift FROM users WHERE id = $1 AND totp_confirmed_at IS NOT NULL AND totp_ciphertext IS NOT NULL',
    [of.userId],
  );
  const [row] = rows;
  if (!row) return false;
  const secret = openSecret(config.MASTER_KEYS, row.totp_ciphertext, totpPurpose(of.userId));
  const step = matchStep(secret, of.code, of.now, [...new Set([0, row.totp_drift])]);
  if (step === null) return false;
  const { rowCount } = await db.query(
    'UPDATE users SET totp_last_step = $2 WHERE id = $1 AND (totp_last_step IS NULL OR totp_last_step < $2)',
    [of.userId, step],
  );
  return rowCount === 1;
}

export const sealTotp = ({ config }: Pick<Context, 'config'>, userId: string, secret: string): Buffer =>
  sealSecret(config.MASTER_KEYS, secret, totpPurpose(userId));
export const openTotp = ({ config }: Pick<Context, 'config'>, userId: string, sealed: Uint8Array): string =>
  openSecret(config.MASTER_KEYS, sealed, totpPurpose(userId));

export const totpPurpose = (userId: string): string => `totp:${userId}`;
