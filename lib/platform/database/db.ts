// The database: one pool of connections per process, shared by hand-written statements and Prisma. Frequent statements are
// named, so that PostgreSQL plans them once per connection.

import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '@/prisma/generated/client';
import { config } from '@/lib/platform/config/config';

/** A pool, or one of its connections inside a transaction. */
export type Db = Pick<pg.ClientBase, 'query'>;
/** One connection inside an open transaction. */
export type Tx = Db & { readonly inTransaction: true };
export type Pool = pg.Pool;

/** SQLSTATE codes that this service reacts to. */
export const SqlState = { uniqueViolation: '23505', serializationFailure: '40001', deadlock: '40P01' } as const;

/** How often a transaction that lost a race is tried. */
const TRIES = 5;
/** The text of a Prisma statement varies with the length of its lists. Beyond this many texts no further statement is named. */
const NAMED_STATEMENTS = 500;

/** Opens a pool. Every process has one. A request that gets no connection within two seconds fails. */
export function openPool(connectionString: string, max: number): Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 2000,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    application_name: 'stabletill',
  });
  // The pool replaces an idle connection that the server closed. Without a listener the error would end the process.
  pool.on('error', () => {});
  return pool;
}

const shared = globalThis as unknown as { stabletillPool?: Pool };

/** This process's pool. There is one, although Next and the server each bundle a copy of this file. */
export const pool = (): Pool => (shared.stabletillPool ??= openPool(config().DATABASE_URL, config().DATABASE_POOL));

/** Prisma on a pool, with its statements prepared. */
export function openPrisma(on: Pool): PrismaClient {
  const names = new Map<string, string>();
  const statementNameGenerator = ({ sql }: { sql: string }): string => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= NAMED_STATEMENTS) return known as string;
    const name = `p${createHash('sha256').update(sql).digest('hex').slice(0, 20)}`;
    names.set(sql, name);
    return name;
  };
  return new PrismaClient({ adapter: new PrismaPg(on, { statementNameGenerator }) });
}

/**
 * Runs `work` in one transaction and commits it. An error rolls everything back. A deadlock or serialization failure is
 * retried, so `work` must have no effect outside the database.
 */
export async function transaction<T>(on: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await on.connect();
    let broken: Error | undefined;
    // A connection outside the pool has no other listener, and an unhandled error event would end the process.
    const lost = (error: Error): void => {
      broken = error;
    };
    client.on('error', lost);
    try {
      await client.query('BEGIN');
      const result = await work(client as unknown as Tx);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // Discard a connection that cannot roll back; the next caller must not get it.
      await client.query('ROLLBACK').catch((fault: Error) => (broken = fault));
      if (attempt >= TRIES || !isLostRace(error)) throw error;
    } finally {
      client.off('error', lost);
      client.release(broken);
    }
  }
}

/** Whether a transaction lost a deadlock or a race, so that a retry would succeed. */
export const isLostRace = (error: unknown): boolean => {
  const code = sqlState(error);
  return code === SqlState.serializationFailure || code === SqlState.deadlock;
};

/** The SQLSTATE of a database error, or null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** SQLSTATE classes with which PostgreSQL refuses a statement because of its rows, not because the database is unavailable. */
const REFUSALS = /^(?:22|23|42|54|P0)/;
export const isRefusedStatement = (error: unknown): boolean => REFUSALS.test(sqlState(error) ?? '');

/** The name of the constraint that a database error names, or null. */
export function violatedConstraint(error: unknown): string | null {
  const name = (error as { constraint?: unknown } | null)?.constraint;
  return typeof name === 'string' ? name : null;
}
