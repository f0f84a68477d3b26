// What the row type check needs of the real schema: types with the labels of enums, and which columns may hold null.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';

export type Catalog = {
  /** The names of the CHECK constraints. */
  readonly constraints: readonly string[];
  /** By OID: the type's name, the labels of an enum, and the OID of an array's elements. */
  readonly types: Readonly<
    Record<string, { readonly name: string; readonly labels: readonly string[] | null; readonly element: number }>
  >;
  /** By `table OID.attribute number`: the column's name and whether it is NOT NULL. */
  readonly columns: Readonly<
    Record<string, { readonly name: string; readonly table: string; readonly isNotNull: boolean }>
  >;
};

/**
 * Makes this run's directory in ROW_TYPES_DIR with the schema's `catalog.json`; databases cloned from this one share its OIDs. Returns
 * null, and nothing is recorded, when the variable is not set.
 */
export async function startRecording(connectionString: string): Promise<string | null> {
  const whole = process.env.ROW_TYPES_DIR;
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
