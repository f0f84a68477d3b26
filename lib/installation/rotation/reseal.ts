// Moves sealed columns to the master key that seals, and counts their rows by version. Every row is replaced only if it still holds what was
// read, so processes and a second run may write meanwhile; a run that was interrupted is simply started again.

import { isRowFault, type Pool } from '@/lib/platform/database/db';
import { openSecret, sealingVersion, sealSecret, versionOf, type MasterKeys } from '@/lib/platform/crypto';
import { SEALED_COLUMNS, type Facts, type SealedColumn } from './sealed-columns';

/** Rows in one statement, so that none takes long, however large the table is. */
const PAGE = 1000;
/** Rows in one statement that only counts them. Ids of refunds are random, so that each may be a read of the disk. */
const COUNTED_PAGE = 10_000;
/** Entries of the audit log lie in the order of their numbers. */
const AUDIT_PAGE = 50_000;
/** The version of bytes that are too short to name one. */
const DAMAGED = 0;
/** Rows named in one report: with a wrong key, every row fails. */
export const MAX_NAMED = 100;

type Sealed = Facts & { readonly sealed: Buffer | string | null };
type Place = Pick<SealedColumn, 'table' | 'column'>;
export type FailedRow = Place & { readonly id: string; readonly reason: string };
/** The number of rows by version. */
export type ColumnCount = Place & { readonly rows: ReadonlyMap<number, number> };

/** Re-seals what is not under the key that seals. `failed` are the first rows that could not be; the others are done nevertheless. */
export async function reseal(
  pool: Pool,
  keys: MasterKeys,
  columns: readonly SealedColumn[] = SEALED_COLUMNS,
): Promise<{ readonly resealed: number; readonly failed: readonly FailedRow[] }> {
  let resealed = 0;
  const failed: FailedRow[] = [];
  for (const column of columns) {
    for await (const row of rowsOf(pool, column)) {
      if (row.version === sealingVersion(keys)) continue;
      try {
        if (await resealRow(pool, { column, keys, row })) resealed++;
      } catch (error) {
        if (!(error instanceof RowError) && !isRowFault(error)) throw error;
        if (failed.length < MAX_NAMED)
          failed.push({ table: column.table, column: column.column, id: row.id, reason: (error as Error).message });
      }
    }
  }
  return { resealed, failed };
}

/** The rows of every sealed column by the version of their key. PostgreSQL counts them, so that no secret is read. */
export async function countSealed(pool: Pool, page = COUNTED_PAGE): Promise<readonly ColumnCount[]> {
  const counts: ColumnCount[] = [];
  for (const column of SEALED_COLUMNS)
    counts.push({ table: column.table, column: column.column, rows: await countColumn(pool, column, page) });
  return counts;
}

async function countColumn(pool: Pool, column: SealedColumn, page: number): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (let after: string | null = null; ;) {
    const found: readonly Counted[] = await countPage(pool, column, { after, page });
    const [first] = found;
    if (!first) return counts;
    for (const { version, rows } of found) if (version !== null) counts.set(version, (counts.get(version) ?? 0) + rows);
    after = first.last;
  }
}

/** `version`: null of rows without a secret. `last`: the id of the page's last row. */
type Counted = { readonly version: number | null; readonly rows: number; readonly last: string };

async function countPage(
  pool: Pool,
  { table, column, idType, encoding }: SealedColumn,
  { after, page }: { readonly after: string | null; readonly page: number },
): Promise<readonly Counted[]> {
  const { rows } = await pool.query<Counted>(
    `WITH page AS MATERIALIZED (SELECT id, ${VERSION_SQL[encoding](column)} AS version FROM ${table}
       WHERE $1::${idType} IS NULL OR id > $1 ORDER BY id LIMIT ${page})
     SELECT version, count(*)::int AS rows, (SELECT id::text FROM page ORDER BY page.id DESC LIMIT 1) AS last FROM page GROUP BY version`,
    [after],
  );
  return rows;
}

const twoBytes = (bytes: string): string => `get_byte(${bytes}, 0) * 256 + get_byte(${bytes}, 1)`;

/** What `rowsOf` reads as the version of a column; null where the row has no secret. */
export const VERSION_SQL: Record<SealedColumn['encoding'], (column: string) => string> = {
  bytes: (column) => `CASE WHEN octet_length(${column}) < 2 THEN ${DAMAGED} ELSE ${twoBytes(column)} END`,
  // Three digits hold the version. PostgreSQL decodes only whole groups of four.
  base64: (
    column,
  ) => `CASE WHEN ${column} = '' THEN NULL WHEN left(${column}, 3) !~ '^[A-Za-z0-9+/]{3}$' THEN ${DAMAGED}
           ELSE ${twoBytes(`decode(left(${column}, 3) || 'A', 'base64')`)} END`,
};

/** Entries of the audit log by the version whose derived key they need. They are never rewritten. */
export async function countAudit(pool: Pool, page = AUDIT_PAGE): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (let after = '-1'; ;) {
    const { rows } = await pool.query<{ version: number | null; rows: number; last: string }>(
      `SELECT key_version AS version, count(*)::int AS rows, max(number)::text AS last
       FROM (SELECT number, key_version FROM audit_entries WHERE number > $1::bigint ORDER BY number LIMIT ${page}) entries
       GROUP BY 1`,
      [after],
    );
    if (rows.length === 0) return counts;
    for (const { version, rows: count } of rows)
      if (version !== null) counts.set(version, (counts.get(version) ?? 0) + count);
    after = String(rows.map(({ last }) => BigInt(last)).reduce((one, other) => (one > other ? one : other)));
  }
}

class RowError extends Error {}

type Row = Facts & { readonly bytes: Buffer; readonly version: number; readonly sealed: Buffer | string };

/** Rows with a secret, in the order of their ids. */
async function* rowsOf(pool: Pool, column: SealedColumn): AsyncGenerator<Row> {
  const filled = column.encoding === 'base64' ? `nullif(${column.column}, '')` : column.column;
  for (let after: string | null = null; ;) {
    const { rows }: { rows: Sealed[] } = await pool.query<Sealed>(
      `SELECT ${[`${column.table}.id::text AS id`, ...column.facts].join(', ')}, ${filled} AS sealed FROM ${column.table}
       WHERE $1::${column.idType} IS NULL OR id > $1 ORDER BY ${column.table}.id LIMIT ${PAGE}`,
      [after],
    );
    for (const row of rows) {
      if (row.sealed === null) continue;
      const bytes = typeof row.sealed === 'string' ? Buffer.from(row.sealed, 'base64') : row.sealed;
      yield {
        ...row,
        sealed: row.sealed,
        bytes,
        version: bytes.length < 2 ? DAMAGED : versionOf(bytes),
      };
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** False when the row has changed since it was read. */
async function resealRow(
  pool: Pool,
  { column, keys, row }: { column: SealedColumn; keys: MasterKeys; row: Row },
): Promise<boolean> {
  const bytes = sealSecret(keys, opened(keys, row, column.purposeOf(row)), column.purposeOf(row));
  const { rowCount } = await pool.query(
    `UPDATE ${column.table} SET ${column.column} = $3 WHERE id = $1::${column.idType} AND ${column.column} = $2`,
    [row.id, row.sealed, column.encoding === 'base64' ? bytes.toString('base64') : bytes],
  );
  return rowCount === 1;
}

function opened(keys: MasterKeys, { bytes, version }: Row, purpose: string): string {
  if (version === DAMAGED) throw new RowError('it is damaged: it names no key');
  if (!keys.has(version)) throw new RowError(`MASTER_KEYS lacks version ${version}, which it is sealed under`);
  try {
    return openSecret(keys, bytes, purpose);
  } catch (error) {
    const reason = `it does not open under version ${version}: it was altered, or that version is another key`;
    throw new RowError(reason, { cause: error });
  }
}
