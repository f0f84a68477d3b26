// The people who answer for a store, for the mails that every owner gets.

import type { Db } from '@/lib/db';

export type Owner = {
  readonly email: string;
  readonly locale: string | null;
  /** The store's name. */
  readonly name: string;
};

/** The owners of a store who can sign in. */
export async function listOwners(db: Db, storeId: string): Promise<readonly Owner[]> {
  const { rows } = await db.query<Owner>(
    `SELECT u.email, u.locale, s.name FROM members m JOIN users u ON u.id = m.user_id JOIN stores s ON s.id = m.store_id
     WHERE m.store_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL`,
    [storeId],
  );
  return rows;
}
