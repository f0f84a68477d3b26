// The names of stores, for a filter to choose from.

import type { Db } from '@/lib/platform/database/db';

/** A longer list is no choice any more: a store's own page leads to what is its. */
const MOST_NAMED = 200;

/** The newest stores and the chosen one, by name. */
export async function listStoreNames(
  db: Db,
  chosen: string | null,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { rows } = await db.query<{ id: string; name: string }>({
    name: 'store-names',
    text: `SELECT id, name FROM (
             (SELECT id, name FROM stores ORDER BY created_at DESC LIMIT ${MOST_NAMED})
             UNION SELECT id, name FROM stores WHERE id = $1) AS named ORDER BY lower(name), id`,
    values: [chosen],
  });
  return rows;
}
