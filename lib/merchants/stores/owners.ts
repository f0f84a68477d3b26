// The owners of a store, for mails to every owner.

import type { Db, Tx } from '@/lib/platform/database/db';

export type Owner = {
  readonly email: string;
  readonly locale: string | null;
  /** The store's name. */
  readonly name: string;
};

const OWNERS = `FROM members m JOIN users u ON u.id = m.user_id
  WHERE m.store_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL`;

/** The e-mail addresses of the owners who can sign in and have no second factor. */
export async function ownersWithoutFactor(db: Db, storeId: string): Promise<readonly string[]> {
  const { rows } = await db.query<{ email: string }>(
    `SELECT u.email ${OWNERS} AND u.totp_confirmed_at IS NULL AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id)
     ORDER BY u.email`,
    [storeId],
  );
  return rows.map(({ email }) => email);
}

/** Locks the owners: none can lose a second factor before the transaction ends (accounts/last-factor waits for the lock). */
export async function lockOwners(tx: Tx, storeId: string): Promise<void> {
  await tx.query(`SELECT 1 ${OWNERS} ORDER BY u.id FOR SHARE OF u`, [storeId]);
}

/** The members who are mailed when the store is approved or rejected: the owners, unless a member chose otherwise. */
export async function listDecisionReaders(db: Db, storeId: string): Promise<readonly Owner[]> {
  const { rows } = await db.query<Owner>(
    `SELECT u.email, u.locale, s.name FROM members m JOIN users u ON u.id = m.user_id JOIN stores s ON s.id = m.store_id
     WHERE m.store_id = $1 AND coalesce(m.mail_decisions, m.role = 'owner') AND u.disabled_at IS NULL`,
    [storeId],
  );
  return rows;
}

/** The owners of a store who can sign in. */
export async function listOwners(db: Db, storeId: string): Promise<readonly Owner[]> {
  const { rows } = await db.query<Owner>(
    `SELECT u.email, u.locale, s.name FROM members m JOIN users u ON u.id = m.user_id JOIN stores s ON s.id = m.store_id
     WHERE m.store_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL`,
    [storeId],
  );
  return rows;
}
