// The PostgreSQL database of all histories of one process: real PostgreSQL with the product's own schema. Its clock and its
// random numbers are the history's: functions of the schema `simulation` come before PostgreSQL's own in the search path. So is its
// oldest open transaction. A transaction number belongs to the whole server, so without this a transaction in another database, or one
// that PostgreSQL runs by itself, would hold back the events that a history reads.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { prepareBackups } from './backup';

/** Enough for every statement that the product runs in parallel; opened before the first history. */
const CONNECTIONS = 8;

const SIMULATED = `
  CREATE SCHEMA simulation;
  CREATE TABLE simulation.clock (at timestamptz NOT NULL);
  INSERT INTO simulation.clock VALUES ('2027-01-01T00:00:00Z');
  CREATE SEQUENCE simulation.draws;
  CREATE FUNCTION simulation.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM simulation.clock';
  CREATE FUNCTION simulation.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM simulation.clock';
  CREATE FUNCTION simulation.random() RETURNS float8 LANGUAGE sql VOLATILE AS
    'SELECT abs(hashint8(nextval(''simulation.draws'')) % 1000000) / 1000000.0::float8';
  CREATE FUNCTION simulation.gen_random_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS
    'SELECT md5(nextval(''simulation.draws'')::text)::uuid';
  CREATE FUNCTION simulation.pg_snapshot_xmin(snapshot pg_snapshot) RETURNS xid8 LANGUAGE sql VOLATILE AS
    'SELECT coalesce((SELECT one FROM pg_snapshot_xip(snapshot) AS one WHERE EXISTS (
       SELECT FROM pg_stat_activity WHERE backend_xid = one::xid AND datname = current_database()
         AND backend_type = ''client backend'') ORDER BY one LIMIT 1), pg_snapshot_xmax(snapshot))'`;

/** Column defaults were bound to PostgreSQL's own clock when the tables were created. */
const DEFAULTS = `
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT c.oid::regclass AS tbl, a.attname AS col FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.adnum
        WHERE c.relnamespace = 'public'::regnamespace AND pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'CURRENT_TIMESTAMP') LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT simulation.now()', one.tbl, one.col);
    END LOOP;
  END $$`;

export type SimulationDatabase = {
  readonly url: string;
  readonly pool: Pool;
  /** Sets the time that statements see from the next `applyTime` on. */
  readonly setTime: (now: Date) => void;
  readonly applyTime: () => Promise<void>;
  /** Empties every table that the product fills, and begins all sequences again. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Clones the migrated template. */
export async function openSimulationDatabase(server: string, template: string): Promise<SimulationDatabase> {
  const name = `simulation_${randomBytes(6).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  await onServer(server, `ALTER DATABASE ${name} SET search_path = public, simulation, pg_catalog`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await onServer(url.href, `${SIMULATED}; ${DEFAULTS}`);
  const pool = openPool(url.href, CONNECTIONS);
  // A connection draws random numbers when it opens, so all open now and stay open.
  pool.options.idleTimeoutMillis = 0;
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
  for (const client of clients) client.release();
  const empty = await prepareEmptying(pool);
  await prepareBackups(pool);
  return {
    url: url.href,
    pool,
    ...openTime(pool),
    reset: async () => void (await pool.query(empty)),
    close: async () => {
      await pool.end();
      await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Time passes often while no statement runs, so it is written only before the next one. */
function openTime(pool: Pool): Pick<SimulationDatabase, 'setTime' | 'applyTime'> {
  let next: Date | null = null;
  let applied: Promise<unknown> = Promise.resolve();
  return {
    setTime: (now) => void (next = now),
    applyTime: async () => {
      if (next !== null) {
        applied = pool.query({ name: 'simulation-time', text: 'UPDATE simulation.clock SET at = $1', values: [next] });
        next = null;
      }
      // Statements that the product runs in parallel all wait for it.
      await applied;
    },
  };
}

/**
 * Tables with rows in the template are part of the schema and stay. Emptying by TRUNCATE leaves no trace of the history
 * before, which DELETE would: its dead rows change plans, and so the order of rows. Tables that were not used are skipped,
 * because each takes milliseconds.
 */
async function prepareEmptying(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  const kept: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await pool.query(`SELECT FROM ${name} LIMIT 1`);
    if ((rowCount ?? 0) > 0) kept.push(name);
  }
  await pool.query(`CREATE FUNCTION simulation.reset() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE used text; drawn record; BEGIN
      SELECT string_agg(quote_ident(relname), ', ') INTO used FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
        AND NOT relname = ANY('{${kept.join()}}');
      PERFORM set_config('session_replication_role', 'replica', true);
      IF used IS NOT NULL THEN EXECUTE 'TRUNCATE ' || used || ' CASCADE'; END IF;
      FOR drawn IN SELECT schemaname, sequencename FROM pg_sequences WHERE last_value IS NOT NULL LOOP
        EXECUTE format('ALTER SEQUENCE %I.%I RESTART', drawn.schemaname, drawn.sequencename);
      END LOOP;
    END $$`);
  return 'SELECT simulation.reset()';
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
