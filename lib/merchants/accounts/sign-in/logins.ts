// Signed-in devices. The cookie holds a 256-bit value; only its SHA-256 is stored. Every request reads the row together with
// the user and their memberships, so ending a login, disabling a user or changing a role acts at once.

import { randomUUID } from 'node:crypto';
import { sha256 } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';
import { IS_LIVE } from '@/lib/merchants/stores/store-status';
import type { MemberRole, UserRole } from '@/prisma/generated/enums';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';

/** ASVS 7.3: an unused login ends, and so does one that has lasted a working day. */
export const IDLE_SECONDS = 30 * 60;
export const ABSOLUTE_SECONDS = 12 * 3600;
/** How long a user may take from the password to the second factor. */
const PENDING_SECONDS = 10 * 60;
/** A login's last use is written at most this often, so that most requests only read. */
const SEEN_SECONDS = 60;
/** How long password and second factor count as fresh. */
export const STEP_UP_SECONDS = 5 * 60;
/** Logins of one user at once. A further login ends the longest unused one. */
const MAX_LOGINS = 50;

/** `isLive`: the store was approved, so changes to the whole store affect live money. */
type Membership = { readonly storeId: string; readonly role: MemberRole; readonly isLive: boolean };

/** The user of an active login. */
export type Who = {
  readonly loginId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly locale: string | null;
  readonly hasTotp: boolean;
  readonly hasPasskeys: boolean;
  /** False between the password and the second factor. Such a login may only give the factor or end. */
  readonly isComplete: boolean;
  readonly createdAt: Date;
  readonly stepUpAt: Date | null;
  readonly memberships: readonly Membership[];
};

const FIND = {
  name: 'find-login',
  text: `WITH found AS (
           SELECT l.id, l.user_id, l.created_at, l.last_seen_at, l.second_factor_at, l.step_up_at,
                  u.email, u.name, u.role::text AS role, u.locale, u.totp_confirmed_at IS NOT NULL AS has_totp,
                  EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) AS has_passkeys,
                  (SELECT coalesce(json_agg(json_build_object('storeId', m.store_id, 'role', m.role, 'isLive', ${IS_LIVE}) ORDER BY m.store_id), '[]')
                   FROM members m JOIN stores s ON s.id = m.store_id WHERE m.user_id = u.id) AS memberships
           FROM logins l JOIN users u ON u.id = l.user_id
           WHERE l.token_hash = $1 AND l.ended_at IS NULL AND l.last_seen_at > $3 AND l.created_at > $4
             AND u.disabled_at IS NULL AND u.email_confirmed_at IS NOT NULL),
         seen AS (UPDATE logins SET last_seen_at = $2 FROM found WHERE logins.id = found.id AND found.last_seen_at < $5)
         SELECT * FROM found`,
};

type FoundRow = {
  id: string;
  user_id: string;
  created_at: Date;
  second_factor_at: Date | null;
  step_up_at: Date | null;
  email: string;
  name: string;
  role: UserRole;
  locale: string | null;
  has_totp: boolean;
  has_passkeys: boolean;
  memberships: Membership[];
};

/** The user of a cookie's value; null when signed out. One statement. */
export async function findLogin({ pool, clock }: Pick<Context, 'pool' | 'clock'>, token: string): Promise<Who | null> {
  if (!isToken(token)) return null;
  const now = clock.now();
  const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
  const values = [sha256(token), now, before(IDLE_SECONDS), before(ABSOLUTE_SECONDS), before(SEEN_SECONDS)];
  const { rows } = await pool.query<FoundRow>({ ...FIND, values });
  const [row] = rows;
  if (!row) return null;
  const isComplete = row.second_factor_at !== null || !(row.has_totp || row.has_passkeys);
  if (!isComplete && row.created_at <= before(PENDING_SECONDS)) return null;
  return {
    loginId: row.id,
    userId: row.user_id,
    email: row.email,
    name: row.name,
    role: row.role,
    locale: row.locale,
    hasTotp: row.has_totp,
    hasPasskeys: row.has_passkeys,
    isComplete,
    createdAt: row.created_at,
    stepUpAt: row.step_up_at,
    memberships: row.memberships,
  };
}

/** Begins a login. Returns the cookie's value, which cannot be read again. `isComplete`: no second factor is required. */
export async function beginLogin(
  db: Db,
  of: { userId: string; isComplete: boolean; hasFactor: boolean; from: RequestSource; now: Date },
): Promise<string> {
  const token = newToken();
  const { userId, from, now } = of;
  const factorAt = of.isComplete && of.hasFactor ? now : null;
  await db.query({
    name: 'begin-login',
    text: `INSERT INTO logins (id, token_hash, user_id, created_at, last_seen_at, second_factor_at, step_up_at, user_agent, address)
           VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8)`,
    values: [
      randomUUID(),
      sha256(token),
      userId,
      now,
      factorAt,
      of.isComplete ? now : null,
      from.userAgent,
      from.address,
    ],
  });
  await db.query({
    name: 'end-surplus-logins',
    text: `UPDATE logins SET ended_at = $2 WHERE id IN (
             SELECT id FROM logins WHERE user_id = $1 AND ended_at IS NULL ORDER BY last_seen_at DESC, id OFFSET ${MAX_LOGINS})`,
    values: [userId, now],
  });
  return token;
}

/** Completes the login and gives it a new value, so that a value known earlier is worthless. */
export async function completeLogin(db: Db, loginId: string, now: Date): Promise<string> {
  const token = newToken();
  await db.query({
    name: 'complete-login',
    text: 'UPDATE logins SET token_hash = $2, second_factor_at = $3, step_up_at = $3, last_seen_at = $3 WHERE id = $1',
    values: [loginId, sha256(token), now],
  });
  return token;
}

/** Records a step-up. The login gets a new value, for the same reason; null when it has ended. */
export async function raiseLogin(db: Db, loginId: string, now: Date): Promise<string | null> {
  const token = newToken();
  const { rowCount } = await db.query({
    name: 'raise-login',
    text: 'UPDATE logins SET token_hash = $2, step_up_at = $3 WHERE id = $1 AND ended_at IS NULL',
    values: [loginId, sha256(token), now],
  });
  return rowCount === 1 ? token : null;
}

/** Ends one login of a user, all but one, or all. Returns how many ended. */
export async function endLogins(
  db: Db,
  of: { userId: string; only?: string; except?: string; now: Date },
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'end-logins',
    text: `UPDATE logins SET ended_at = $4 WHERE user_id = $1 AND ended_at IS NULL
             AND ($2::uuid IS NULL OR id = $2) AND ($3::uuid IS NULL OR id <> $3)`,
    values: [of.userId, of.only ?? null, of.except ?? null, of.now],
  });
  return rowCount ?? 0;
}

/** Ends the login of a cookie's value, if there is one. */
export async function signOut({ pool, clock }: Pick<Context, 'pool' | 'clock'>, token: string): Promise<void> {
  if (!isToken(token)) return;
  await pool.query('UPDATE logins SET ended_at = $2 WHERE token_hash = $1 AND ended_at IS NULL', [
    sha256(token),
    clock.now(),
  ]);
}

/** Whether password and second factor were confirmed within the last five minutes. */
export const isFresh = ({ stepUpAt }: Pick<Who, 'stepUpAt'>, now: Date): boolean =>
  stepUpAt !== null && now.getTime() - stepUpAt.getTime() < STEP_UP_SECONDS * 1000;

/** 43 characters carry 256 bits. */
export const newToken = (): string => randomText(43);
export const isToken = (text: unknown): text is string => typeof text === 'string' && /^[0-9A-Za-z]{43}$/.test(text);
