// Backups of a history's database, as a dump makes them: the rows of every table that the product filled, and the positions
// of its sequences.

import type { Pool } from '@/lib/platform/database/db';

/** Opaque rows; only `restoreBackup` reads them. */
export type Backup = { readonly json: string };

/** PostgreSQL reserves this many numbers of a sequence at once, so a server that recovered from a crash skips up to as many. */
const RESERVED = 32;

const ROWS = `SELECT quote_ident(relname) AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0 ORDER BY relname`;

/** Creates what the other functions use. Runs after `simulation.reset()` exists. */
export async function prepareBackups(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE FUNCTION simulation.save() RETURNS json LANGUAGE plpgsql AS $$
      DECLARE one record; rows json; tables jsonb := '[]'; BEGIN
        FOR one IN ${ROWS} LOOP
          EXECUTE format('SELECT coalesce(json_agg(t), ''[]'') FROM (SELECT * FROM %s ORDER BY ctid) AS t', one.name) INTO rows;
          tables := tables || jsonb_build_object('name', one.name, 'rows', rows::text);
        END LOOP;
        RETURN json_build_object('tables', tables, 'sequences', (SELECT coalesce(json_agg(json_build_object(
          'name', format('%I.%I', schemaname, sequencename), 'last', last_value)), '[]')
          FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL));
      END $$;
    CREATE FUNCTION simulation.restore(saved json, skipped int) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE one record; drawn bigint := (SELECT last_value FROM simulation.draws); BEGIN
        PERFORM simulation.reset();
        -- Rows of the backup have the random ids of its time, so none of them is drawn again.
        PERFORM setval('simulation.draws', drawn);
        PERFORM set_config('session_replication_role', 'replica', true);
        FOR one IN SELECT * FROM json_to_recordset(saved->'tables') AS t(name text, rows text) LOOP
          EXECUTE format('DELETE FROM %s', one.name);
          EXECUTE format('INSERT INTO %1$s OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::%1$s, $1)', one.name)
            USING one.rows::json;
        END LOOP;
        FOR one IN SELECT * FROM json_to_recordset(saved->'sequences') AS t(name text, last bigint) LOOP
          PERFORM setval(one.name::regclass, one.last + skipped);
        END LOOP;
      END $$`);
}

export async function makeBackup(pool: Pool): Promise<Backup> {
  const { rows } = await pool.query<{ json: string }>('SELECT simulation.save()::text AS json');
  return rows[0] as Backup;
}

/** Puts every row back. `isRecovered`: sequences jump, as after a crash. */
export async function restoreBackup(pool: Pool, { json }: Backup, isRecovered: boolean): Promise<void> {
  await pool.query('SELECT simulation.restore($1::json, $2)', [json, isRecovered ? RESERVED : 0]);
}
