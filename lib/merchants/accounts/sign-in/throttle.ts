// Slows guessing: a wait that doubles with every attempt beyond the first few, at most a quarter of an hour, forgotten after an
// hour. One statement that locks its row counts an attempt before it is checked, so a hundred concurrent attempts count as a
// hundred. Strangers lock out no user: a device or address from which a user signed in before has a separate counter.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { noteSecurity, type SecurityEvent } from '@/lib/platform/security/events';

const LONGEST_WAIT_SECONDS = 15 * 60;
const FORGOTTEN_SECONDS = 3600;

/** Free attempts before waiting begins. */
export const FREE = { account: 5, code: 5, address: 50, mail: 3 } as const;
export type Kind = keyof typeof FREE;

const TAKE = {
  name: 'take-attempt',
  text: `INSERT INTO throttles AS t (subject, failures, until, seen_at) VALUES ($1, 1, $2, $2)
         ON CONFLICT (subject) DO UPDATE SET
           failures = CASE WHEN t.seen_at < $3 THEN 1 ELSE t.failures + 1 END,
           until = CASE WHEN t.seen_at < $3 OR t.failures + 1 < $4 THEN $2
                        ELSE $2 + make_interval(secs => least(${LONGEST_WAIT_SECONDS}, power(2, least(20, t.failures + 1 - $4)))) END,
           seen_at = $2
         WHERE t.until <= $2
         RETURNING 1`,
};

/**
 * Counts an attempt. Throws RATE_LIMITED while the subject must wait. Then the attempt is not counted, and the lockout is a
 * security event `about` this account and address.
 */
export async function takeAttempt(
  context: Pick<Context, 'pool' | 'clock' | 'log'>,
  kind: Kind,
  subject: string,
  about: Pick<SecurityEvent, 'account' | 'address'> = {},
): Promise<void> {
  const { pool, clock } = context;
  const now = clock.now();
  const id = `${kind}:${subject}`;
  const values = [id, now, new Date(now.getTime() - FORGOTTEN_SECONDS * 1000), FREE[kind]];
  const { rowCount } = await pool.query({ ...TAKE, values });
  if (rowCount === 1) return;
  const { rows } = await pool.query<{ until: Date }>('SELECT until FROM throttles WHERE subject = $1', [id]);
  // Requesting many mails is a nuisance, not a guess.
  if (kind !== 'mail') noteSecurity(context, { ...about, kind: 'locked_out' });
  const wait = ((rows[0]?.until ?? now).getTime() - now.getTime()) / 1000;
  throw new ServiceError('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil(wait)) });
}

/** After a successful attempt: resets the subject's counter. */
export const resetAttempts = async (db: Db, kind: Kind, subject: string): Promise<void> =>
  void (await db.query('DELETE FROM throttles WHERE subject = $1', [`${kind}:${subject}`]));

/** After a successful attempt of a shared subject: takes back this attempt alone. */
export const releaseAttempt = async (db: Db, kind: Kind, subject: string): Promise<void> =>
  void (await db.query('UPDATE throttles SET failures = greatest(0, failures - 1) WHERE subject = $1', [
    `${kind}:${subject}`,
  ]));

/** Part of a worker step: deletes counters without recent attempts. */
export const clearThrottles = async (db: Db, now: Date): Promise<void> =>
  void (await db.query(
    `DELETE FROM throttles WHERE subject IN (SELECT subject FROM throttles WHERE seen_at < $1 AND until < $1 LIMIT 10000)`,
    [new Date(now.getTime() - FORGOTTEN_SECONDS * 1000)],
  ));
