// Database faults for tests of isolation: PostgreSQL refuses all further writes to one row.

import { randomBytes } from 'node:crypto';
import type { Pool } from '@/lib/platform/database/db';

export type DatabaseFault = {
  readonly table: string;
  readonly on: 'INSERT' | 'UPDATE' | 'DELETE' | 'INSERT OR UPDATE';
  /** SQL over NEW, or over OLD when a row is deleted. */
  readonly row: string;
  /** Refused at the end of the transaction only. */
  readonly isDeferred?: boolean;
};

/** Creates the fault; returns a function that removes it. */
export async function makeFault(
  pool: Pool,
  { table, on, row, isDeferred }: DatabaseFault,
): Promise<() => Promise<void>> {
  const name = `fault_${randomBytes(6).toString('hex')}`;
  const [kind, when, how] = isDeferred
    ? ['CONSTRAINT TRIGGER', 'AFTER', 'DEFERRABLE INITIALLY DEFERRED FOR EACH ROW']
    : ['TRIGGER', 'BEFORE', 'FOR EACH ROW'];
  await pool.query(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF ${row} THEN RAISE EXCEPTION 'a fault of this row'; END IF;
      RETURN ${on === 'DELETE' ? 'OLD' : 'NEW'};
    END $$`);
  await pool.query(`CREATE ${kind} ${name} ${when} ${on} ON ${table} ${how} EXECUTE FUNCTION ${name}()`);
  return async () => {
    await pool.query(`DROP TRIGGER ${name} ON ${table}`);
    await pool.query(`DROP FUNCTION ${name}`);
  };
}

/** The open quarantine items, as kinds with their errors. */
export async function openQuarantine(pool: Pool): Promise<{ kind: string; id: string; error: string }[]> {
  const { rows } = await pool.query(
    'SELECT kind, subject_id AS id, error FROM quarantine WHERE resolved_at IS NULL ORDER BY id',
  );
  return rows as { kind: string; id: string; error: string }[];
}
