// What the row type check needs of the real schema: types with the labels of enums, and which columns may hold null.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Catalog } from '@/scripts/check/row-types';

/**
 * Makes this run's directory in `whole` with the schema's `catalog.json`; databases cloned from this one share its OIDs. Returns
 * null, and nothing is recorded, when there is no such directory.
 */
export async function startRecording(connectionString: string, whole: string | undefined): Promise<string | null> {
  if (whole === undefined) return null;
  const directory = fs.mkdtempSync(path.join(whole, 'run-'));
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const types = await client.query<{ oid: string; name: string; element: string; labels: string[] | null }>(
      `SELECT t.oid::text, t.typname AS name, t.typelem::text AS element,
              (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid) AS labels
       FROM pg_type t WHERE t.typtype IN ('b', 'e', 'p', 'd')`,
    );
    const columns = await client.query<{ key: string; name: string; table: string; is_not_null: boolean }>(
      `SELECT format('%s.%s', c.oid, a.attnum) AS key, a.attname AS name, c.relname AS table, a.attnotnull AS is_not_null
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0`,
    );
    const constraints = await client.query<{ name: string }>(
      "SELECT conname AS name FROM pg_constraint WHERE contype = 'c'",
    );
    const catalog: Catalog = {
      constraints: constraints.rows.map(({ name }) => name),
      types: Object.fromEntries(
        types.rows.map(({ oid, name, labels, element }) => [oid, { name, labels, element: Number(element) }]),
      ),
      columns: Object.fromEntries(
        columns.rows.map(({ key, name, table, is_not_null }) => [key, { name, table, isNotNull: is_not_null }]),
      ),
    };
    fs.writeFileSync(path.join(directory, 'catalog.json'), JSON.stringify(catalog));
    return directory;
  } finally {
    await client.end();
  }
}
