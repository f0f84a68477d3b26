// Part of a worker step: deletes unconfirmed accounts. Anyone can sign up with any address, so such an account may hold the
// name and address of a person who never signed up.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';

/** A confirmation link is valid for a day, and signing up again sends a new one. */
const KEPT_DAYS = 7;
/** Accounts of one run. Each is a separate transaction, so a flood of sign-ups takes several runs. */
const MAX_AT_ONCE = 200;

/**
 * SQL for user `u` at `$1`: never confirmed, never used, and without an open link that could still confirm it. An account that
 * an operator disabled stays, because its address could otherwise sign up again.
 */
const IS_ABANDONED = `u.email_confirmed_at IS NULL AND u.disabled_at IS NULL AND u.role = 'merchant'
  AND u.created_at < $1::timestamptz - interval '${KEPT_DAYS} days'
  AND NOT EXISTS (SELECT FROM account_links l WHERE l.user_id = u.id AND l.used_at IS NULL AND l.expires_at > $1)
  AND NOT EXISTS (SELECT FROM logins l WHERE l.user_id = u.id)
  AND NOT EXISTS (SELECT FROM members m WHERE m.user_id = u.id)
  AND NOT EXISTS (SELECT FROM stores s WHERE s.owner_id = u.id)
  AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id)
  AND NOT EXISTS (SELECT FROM recovery_codes r WHERE r.user_id = u.id)`;

/** An account that cannot be deleted is logged and does not affect the others. */
export async function deleteUnconfirmed({
  pool,
  clock,
  log,
}: Pick<Context, 'pool' | 'clock' | 'log'>): Promise<{ more: boolean }> {
  const now = clock.now();
  const { rows } = await pool.query<{ id: string }>({
    name: 'unconfirmed-accounts',
    text: `SELECT u.id FROM users u WHERE ${IS_ABANDONED} ORDER BY u.created_at, u.id LIMIT ${MAX_AT_ONCE}`,
    values: [now],
  });
  let deleted = 0;
  for (const { id } of rows) {
    try {
      if (await transaction(pool, (tx) => deleteOne(tx, id, now))) deleted += 1;
    } catch (error) {
      log.warn({ err: error, user: id }, 'an unconfirmed account could not be deleted');
    }
  }
  return { more: rows.length === MAX_AT_ONCE && deleted > 0 };
}

/** False when the account was confirmed or deleted meanwhile. */
async function deleteOne(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'delete-unconfirmed-account',
    text: `DELETE FROM users u WHERE u.id = $2 AND ${IS_ABANDONED}`,
    values: [now, id],
  });
  if (rowCount !== 1) return false;
  const action = 'account.delete_unconfirmed';
  await recordAudit(tx, { actor: 'worker', storeId: null, action, target: id, address: '', now });
  return true;
}
