// Replaces the sanctions list in one transaction, and turns every known address that is newly listed into a hit at once: also one that
// was clear, released, or is being screened at this moment.

import { transaction, type Pool } from '@/lib/platform/database/db';
import { NETWORKS } from '@/lib/networks/networks';
import { BadList, type SanctionsFile } from './file';

export type Loaded = { readonly added: number; readonly removed: number; readonly hits: number };

/** Null when this very file is loaded already. Throws BadList for a file that is not newer than the loaded one. */
export async function loadSanctions(pool: Pool, list: SanctionsFile, now: Date): Promise<Loaded | null> {
  const loaded = await replaceList(pool, list, now);
  const missed = await hitMissed(pool, now);
  return loaded && { ...loaded, hits: loaded.hits + missed };
}

function replaceList(pool: Pool, list: SanctionsFile, now: Date): Promise<Loaded | null> {
  return transaction(pool, async (tx) => {
    // One load at a time; readers go on with the former list until the commit.
    await tx.query('LOCK TABLE sanctions_lists IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await tx.query<{ asOf: Date; digest: Buffer }>(
      'SELECT as_of AS "asOf", digest FROM sanctions_lists WHERE id = 1',
    );
    const [former] = rows;
    if (former?.digest.equals(list.digest)) return null;
    if (former && list.asOf <= former.asOf)
      throw new BadList(
        `the loaded list is of ${former.asOf.toISOString()}, so one of ${list.asOf.toISOString()} is not newer`,
      );
    const values = [
      list.entries.map(({ family }) => family),
      list.entries.map(({ address }) => address),
      list.entries.map(({ entity }) => entity),
    ];
    const given = 'unnest($1::text[], $2::text[], $3::text[]) AS given (family, address, entity)';
    const removed = await tx.query(
      `DELETE FROM sanctioned_addresses a WHERE NOT EXISTS (
         SELECT FROM unnest($1::text[], $2::text[]) AS given (family, address)
         WHERE given.family = a.family AND given.address = a.address)`,
      values.slice(0, 2),
    );
    // Before the new rows are inserted, so that only what is newly listed ends a release.
    const hits = await tx.query(
      `UPDATE screenings s SET verdict = 'hit', source = 'list', entity = given.entity, reason = NULL, checked_at = $6,
         next_at = NULL, epoch = s.epoch + 1, released_at = NULL, released_by = NULL
       FROM ${given}, unnest($4::text[], $5::text[]) AS n (network, family)
       WHERE s.address = given.address AND s.network = n.network AND n.family = given.family
         AND (s.verdict <> 'hit' OR s.released_at IS NOT NULL)
         AND NOT EXISTS (SELECT FROM sanctioned_addresses a WHERE a.family = given.family AND a.address = given.address)`,
      [...values, NETWORKS.map(({ network }) => network), NETWORKS.map(({ family }) => family), now],
    );
    const { rows: added } = await tx.query<{ isNew: boolean }>(
      `INSERT INTO sanctioned_addresses (family, address, entity) SELECT family, address, entity FROM ${given}
       ON CONFLICT (family, address) DO UPDATE SET entity = EXCLUDED.entity RETURNING xmax = 0 AS "isNew"`,
      values,
    );
    await tx.query(
      `INSERT INTO sanctions_lists (as_of, loaded_at, digest) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET as_of = $1, loaded_at = $2, digest = $3`,
      [list.asOf, now, list.digest],
    );
    return {
      added: added.filter(({ isNew }) => isNew).length,
      removed: removed.rowCount ?? 0,
      hits: hits.rowCount ?? 0,
    };
  });
}

/**
 * An address that was registered during the transaction may have been cleared by the former list, or be so once the other sources have
 * answered: the new epoch voids that answer.
 */
async function hitMissed(pool: Pool, now: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE screenings s SET verdict = 'hit', source = 'list', entity = a.entity, reason = NULL, checked_at = $3,
       next_at = NULL, epoch = s.epoch + 1
     FROM sanctioned_addresses a, unnest($1::text[], $2::text[]) AS n (network, family)
     WHERE s.verdict <> 'hit' AND s.address = a.address AND s.network = n.network AND n.family = a.family`,
    [NETWORKS.map(({ network }) => network), NETWORKS.map(({ family }) => family), now],
  );
  return rowCount ?? 0;
}
