// The database: one pool of connections per process, shared by hand-written statements and Prisma (prisma.ts). Frequent
// statements are named, so that PostgreSQL plans them once per connection.

import pg from 'pg';
import type { Prisma } from '@/prisma/generated/client';
import { config, connectingOfProcess } from '@/lib/platform/config/config';
import type { Connecting } from '@/lib/platform/config/processes';

/** A pool, or one of its connections inside a transaction. */
export type Db = Pick<pg.ClientBase, 'query'>;
/** One connection inside an open transaction. */
export type Tx = Db & { readonly inTransaction: true };
export type Pool = pg.Pool;

/** SQLSTATE codes that this service reacts to. */
export const SqlState = {
  uniqueViolation: '23505',
  serializationFailure: '40001',
  deadlock: '40P01',
  readOnly: '25006',
} as const;

/** Faults of what a row holds (22, 23, 54, P0), and of a row that another transaction holds for too long. A lost connection is none of them. */
const ROW_FAULTS = /^(?:22|23|54|P0|55P03|57014)/;

/** Whether one row caused the error, so that work on many rows can continue with the next one. */
export const isRowFault = (error: unknown): boolean => ROW_FAULTS.test(sqlState(error) ?? '');

/** How often a transaction that lost a race is tried. */
const TRIES = 5;

/** After a failover or a change of its address, connections move to the present server by themselves. */
const LIFETIME_SECONDS = 600;
/** The most that a statement may take; the server ends a longer one. */
const STATEMENT_MILLISECONDS = 15_000;
/** A server that lost its power or its network sends nothing, not even an end. Its connection is given up after this. */
const ANSWER_MILLISECONDS = STATEMENT_MILLISECONDS + 5000;

/**
 * Opens a pool. Every process has one. A request that gets no connection within two seconds fails. Behind a pooler, the settings of
 * connections are those of the database's role (session.ts).
 */
export function openPool(
  connectionString: string,
  max: number,
  { DATABASE_POOLER: pooler, NAMED_STATEMENTS: named }: Connecting = connectingOfProcess(),
): Pool {
  const isNamed = named === undefined ? pooler === 'none' : named === 'on';
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 2000,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    query_timeout: ANSWER_MILLISECONDS,
    ...(pooler === 'none' ? START_UP : {}),
    ...(isNamed ? {} : { Client: UnnamedClient }),
    keepAlive: true,
    application_name: 'stabletill',
  });
  // The pool replaces an idle connection that the server closed. Without a listener the error would end the process.
  pool.on('error', () => {});
  pool.on('release', (error, client) => {
    limitAnswer(client, pool.options.query_timeout);
    if (!error) answeredAt.set(pool, performance.now());
  });
  return pool;
}

/** When the work of a connection of the pool last ended without a fault of the connection. Shared by the copies of this file, as the pool is. */
const answeredAt = ((
  globalThis as unknown as { stabletillAnsweredAt?: WeakMap<object, number> }
).stabletillAnsweredAt ??= new WeakMap());

/** Whether `error` says that all connections of the pool are in use, while the server still answers the statements on them. */
export const isPoolBusy = (pool: Pool, error: unknown): boolean =>
  error instanceof Error &&
  error.message === 'timeout exceeded when trying to connect' &&
  performance.now() - (answeredAt.get(pool) ?? -Infinity) < STATEMENT_MILLISECONDS;

/** Start-up parameters. A pooler refuses them, because its connections to the server outlive a client. */
const START_UP = {
  statement_timeout: STATEMENT_MILLISECONDS,
  idle_in_transaction_session_timeout: 15_000,
  // Prisma writes and reads times without their zone, as UTC.
  options: '-c TimeZone=UTC',
};

/** How long the next statements of a connection may stay without an answer. The pool sets it back. pg reads it from here. */
export const limitAnswer = (client: unknown, milliseconds: number | undefined): void => {
  (client as { connectionParameters: { query_timeout: number | undefined } }).connectionParameters.query_timeout =
    milliseconds;
};

/** Lets every statement of this transaction take so long. */
export async function allowSeconds(tx: Db, seconds: number): Promise<void> {
  await tx.query(`SET LOCAL statement_timeout = '${seconds}s'`);
  limitAnswer(tx, (seconds + 5) * 1000);
}

/** Prepares no statement under a name: the next transaction may run on another connection, which does not know it. */
class UnnamedClient extends pg.Client {
  override query = ((first: unknown, ...more: unknown[]): unknown => {
    const isNamed = typeof first === 'object' && first !== null && 'name' in first && 'text' in first;
    const query = super.query.bind(this) as (...given: unknown[]) => unknown;
    return query(isNamed ? { ...first, name: undefined } : first, ...more);
  }) as pg.Client['query'];
}

const shared = globalThis as unknown as { stabletillPool?: Pool };

/** This process's pool. There is one, although Next and the server each bundle a copy of this file. */
export const pool = (): Pool =>
  (shared.stabletillPool ??= openPool(config().DATABASE_URL, config().DATABASE_POOL, config()));

/** Prisma's part of an open transaction (prisma.ts). It ends just before the transaction does. */
export type Follower = { readonly prisma: Prisma.TransactionClient; readonly end: () => Promise<void> };
type OpenTransaction = {
  readonly pool: Pool;
  follower?: Promise<Follower>;
  /** What runs after the commit. */
  readonly committed: (() => void)[];
};
/** Shared by the copies of this file in one process, as the pool is. */
const openTransactions = ((
  globalThis as unknown as { stabletillTransactions?: WeakMap<object, OpenTransaction> }
).stabletillTransactions ??= new WeakMap());
/** The open transaction of a connection; undefined for a pool. */
export const openTransaction = (db: Db): OpenTransaction | undefined => openTransactions.get(db);

/** Runs `work` after the transaction has committed, or at once outside of one. After a rollback it does not run. */
export function afterCommit(db: Db, work: () => void): void {
  const open = openTransaction(db);
  if (open) open.committed.push(work);
  else runCommitted(work);
}

/** The change is stored, so that a fault of what follows it must not look like a failure of the transaction. */
function runCommitted(work: () => void): void {
  try {
    work();
  } catch (error) {
    // The log may be what failed.
    console.error('what follows a commit failed:', error);
  }
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
    const open: OpenTransaction = { pool: on, committed: [] };
    openTransactions.set(client, open);
    try {
      await client.query('BEGIN');
      const result = await work(client as unknown as Tx);
      await endFollower(open);
      await client.query('COMMIT');
      open.committed.forEach(runCommitted);
      return result;
    } catch (error) {
      await endFollower(open);
      // Discard a connection that cannot roll back; the next caller must not get it. One without an answer would only wait again.
      if (isUnanswered(error)) broken = error as Error;
      else await client.query('ROLLBACK').catch((fault: Error) => (broken = fault));
      // A new connection may lead to the server that takes writes.
      if (sqlState(error) === SqlState.readOnly) broken ??= error as Error;
      if (attempt >= TRIES || !isLostRace(error)) throw error;
    } finally {
      openTransactions.delete(client);
      client.off('error', lost);
      client.release(broken);
    }
  }
}

/** Afterwards Prisma refuses further queries of this transaction, so that none runs outside it. */
async function endFollower({ follower }: OpenTransaction): Promise<void> {
  const following = await follower?.catch(() => null);
  await following?.end();
}

/** pg's error once `query_timeout` is over. */
const isUnanswered = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/** Whether a transaction lost a deadlock or a race, so that a retry would succeed. */
export const isLostRace = (error: unknown): boolean => {
  const code = sqlState(error);
  return code === SqlState.serializationFailure || code === SqlState.deadlock;
};

/** The database's error as Prisma passes it on. */
type PrismaMeta = {
  readonly driverAdapterError?: {
    readonly cause?: { readonly originalCode?: unknown; readonly constraint?: { readonly index?: unknown } };
  };
};
type Thrown = { readonly code?: unknown; readonly constraint?: unknown; readonly meta?: PrismaMeta } | null;
const ofPrisma = (error: unknown) => (error as Thrown)?.meta?.driverAdapterError?.cause;

/** The SQLSTATE of a database error, from the driver or through Prisma; null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = ofPrisma(error)?.originalCode ?? (error as Thrown)?.code;
  // Prisma's own codes (P2025) look like a SQLSTATE. PostgreSQL's begin with P0 where they begin with P.
  return typeof code === 'string' && /^(?!P[1-9])[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** SQLSTATE classes with which PostgreSQL refuses a statement because of its rows, not because the database is unavailable. */
const REFUSALS = /^(?:22|23|42|54|P0)/;
export const isRefusedStatement = (error: unknown): boolean => REFUSALS.test(sqlState(error) ?? '');

/** The name of the constraint that a database error names, or null. Through Prisma, of unique and foreign keys only. */
export function violatedConstraint(error: unknown): string | null {
  const name = ofPrisma(error)?.constraint?.index ?? (error as Thrown)?.constraint;
  return typeof name === 'string' ? name : null;
}
