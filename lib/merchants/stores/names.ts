// Store names for a filter.

import type { Db } from '@/lib/platform/database/db';

/** A longer list is not usable as a filter. The store's own page links to its data. */
const MAX_NAMED = 200;

/** The newest stores and the selected one, sorted by name. */
export async function listStoreNames(
  db: Db,
  chosen: string | null,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { rows } = await db.query<{ id: string; name: string }>({
    name: 'store-names',
    text: `SELECT id, name FROM (
             (SELECT id, name FROM stores ORDER BY created_at DESC LIMIT ${MAX_NAMED})
             UNION SELECT id, name FROM stores WHERE id = $1) AS named ORDER BY lower(name), id`,
    values: [chosen],
  });
  return rows;
}
