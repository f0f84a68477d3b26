// The way back in for an operator who lost the password or the second factor, when no other operator can help. The server's administrator
// requests a reset at the terminal. It waits, while an alarm reaches every operator and each of them may cancel it. Afterwards the
// administrator completes it and gets a link, valid once, that sets a new password.

import { randomUUID } from 'node:crypto';
import { makeLink, voidPendingChanges } from '@/lib/merchants/accounts/links';
import { openFactorSetup } from '@/lib/merchants/accounts/second-factor/factor-setup';
import { endLogins } from '@/lib/merchants/accounts/sign-in/logins';
import { resetAttempts } from '@/lib/merchants/accounts/sign-in/throttle';
import { recordAudit } from '@/lib/merchants/audit/record';
import { queueMail } from '@/lib/merchants/mail/queue';
import { config as processConfig, type Config } from '@/lib/platform/config/config';
import { sqlState, SqlState, transaction, type Pool, type Tx } from '@/lib/platform/database/db';

const MILLISECONDS_PER_HOUR = 3_600_000;
export const DEFAULT_DELAY_HOURS = 24;
/** After this many hours a reset that was not completed lapses, and the alarm ends. */
const LAPSE_HOURS = 72;
/** As long as the set-up of the second factor stays open. */
const LINK_MINUTES = 60;

type Asked = { readonly email: string; readonly now: Date };

/** When the requested reset will be ready; `unknown` when no operator who is not disabled has the address, `open` when one waits already. */
export async function requestReset(
  pool: Pool,
  { email, delayHours, now }: Asked & { readonly delayHours: number },
): Promise<Date | 'unknown' | 'open'> {
  const readyAt = new Date(now.getTime() + delayHours * MILLISECONDS_PER_HOUR);
  const lapsesAt = new Date(readyAt.getTime() + LAPSE_HOURS * MILLISECONDS_PER_HOUR);
  try {
    return await transaction(pool, async (tx) => {
      const userId = await operatorOf(tx, email);
      if (userId === null) return 'unknown';
      await tx.query({
        name: 'operator-reset-lapse',
        text: `UPDATE operator_resets SET canceled_at = $2, canceled_by = 'server'
               WHERE user_id = $1 AND canceled_at IS NULL AND completed_at IS NULL AND lapses_at <= $2`,
        values: [userId, now],
      });
      await tx.query({
        name: 'operator-reset-request',
        text: 'INSERT INTO operator_resets (id, user_id, requested_at, ready_at, lapses_at) VALUES ($1, $2, $3, $4, $5)',
        values: [randomUUID(), userId, now, readyAt, lapsesAt],
      });
      const details = { ready_at: readyAt.toISOString() };
      await audit(tx, { actor: 'server', action: 'operator_reset.request', target: userId, details, address: '', now });
      return readyAt;
    });
  } catch (error) {
    if (sqlState(error) !== SqlState.uniqueViolation) throw error;
    return 'open';
  }
}

async function operatorOf(tx: Tx, email: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'operator-reset-user',
    text: `SELECT id FROM users WHERE email = $1 AND role = 'operator' AND disabled_at IS NULL FOR UPDATE`,
    values: [email],
  });
  return rows[0]?.id ?? null;
}

type Deps = { readonly pool: Pool; readonly config: Pick<Config, 'PUBLIC_URL'> };

/**
 * Ends the former password, second factors and logins of the operator, and returns the link that sets a new password. The second factor may
 * be set up within an hour. The operator approves large payments again after a day, like a new one, and gets a mail without the link.
 * `waiting`: it is not ready yet.
 */
export async function completeReset(
  { pool, config }: Deps,
  { email, now }: Asked,
): Promise<{ readonly link: string } | { readonly waitingUntil: Date } | null> {
  return await transaction(pool, async (tx) => {
    // Locked before the operator's row, in the same order as a request that opens a link.
    const open = await openResetOf(tx, { email, now });
    if (!open || open.readyAt > now) return open && { waitingUntil: open.readyAt };
    const { id, userId, locale } = open;
    await voidPendingChanges(tx, { userId, now });
    await removeFactors(tx, userId, now);
    await tx.query({
      name: 'operator-reset-complete',
      text: 'UPDATE operator_resets SET completed_at = $2 WHERE id = $1',
      values: [id, now],
    });
    await endLogins(tx, { userId, now });
    await openFactorSetup(tx, userId, now);
    const link = await makeLink(tx, config, { purpose: 'reset', userId, email, minutes: LINK_MINUTES, now });
    // Sealed under the key of this process, as the audit log's entry is.
    const mail = { to: email, kind: 'OperatorReset', values: { email }, locale, now } as const;
    await queueMail(tx, { config: processConfig() }, mail);
    await audit(tx, { actor: 'server', action: 'operator_reset.complete', target: userId, address: '', now });
    // Within the transaction: the link exists only in this answer, so nothing may fail after the commit.
    await resetAttempts(tx, 'account', email);
    await resetAttempts(tx, 'code', userId);
    return { link };
  });
}

type ResetOfUser = {
  readonly id: string;
  readonly userId: string;
  readonly locale: string | null;
  readonly readyAt: Date;
};

async function openResetOf(tx: Tx, { email, now }: Asked): Promise<ResetOfUser | null> {
  const { rows } = await tx.query<ResetOfUser>({
    name: 'operator-reset-lock',
    text: `SELECT r.id, r.user_id AS "userId", u.locale, r.ready_at AS "readyAt"
           FROM operator_resets r JOIN users u ON u.id = r.user_id
           WHERE u.email = $1 AND u.role = 'operator' AND u.disabled_at IS NULL
             AND r.canceled_at IS NULL AND r.completed_at IS NULL AND r.lapses_at > $2 FOR UPDATE OF r`,
    values: [email, now],
  });
  return rows[0] ?? null;
}

/** Without a password the account cannot sign in before the link is used. */
async function removeFactors(tx: Tx, userId: string, now: Date): Promise<void> {
  for (const [name, text] of [
    ['operator-reset-passkeys', 'DELETE FROM passkeys WHERE user_id = $1'],
    ['operator-reset-codes', 'DELETE FROM recovery_codes WHERE user_id = $1'],
  ] as const)
    await tx.query({ name, text, values: [userId] });
  await tx.query({
    name: 'operator-reset-factors',
    text: `UPDATE users SET password_hash = NULL, totp_ciphertext = NULL, totp_confirmed_at = NULL, totp_last_step = NULL, totp_drift = 0,
             role_granted_at = $2 WHERE id = $1`,
    values: [userId, now],
  });
}

const audit = (tx: Tx, entry: Omit<Parameters<typeof recordAudit>[1], 'storeId'>): Promise<void> =>
  recordAudit(tx, { storeId: null, ...entry });
