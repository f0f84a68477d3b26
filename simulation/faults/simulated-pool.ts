// The database connections of the simulated processes. They run the product's real statements and fail where a history
// says: as if the process had ended, as if the connection was lost, or as if a transaction had lost a race.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from '@/lib/platform/database/db';
import { openTurns } from '@/simulation/injected/turns';

/**
 * `crash_before` and `crash_after`: nothing runs from the statement on, which had an effect or not. `lost_before` and
 * `lost_after`: this statement alone fails, and the caller cannot know whether it had an effect. `conflict`: PostgreSQL
 * ends the transaction as the loser of a race, and `deadlock` as the victim of one. `canceled`: the statement took too long.
 * `too_many`: the server takes no more connections.
 */
export const STATEMENT_FAULTS = [
  'crash_before',
  'crash_after',
  'lost_before',
  'lost_after',
  'conflict',
  'deadlock',
  'canceled',
  'too_many',
] as const;
export type StatementFault = (typeof STATEMENT_FAULTS)[number];

/** States of the server that last: it takes no writes, its disk is full, or it is away. */
export type ServerState = 'well' | 'read_only' | 'full' | 'away';

export type SimulatedPool = {
  readonly pool: Pool;
  /** How the server is from now on. */
  readonly setServer: (state: ServerState) => void;
  readonly server: () => ServerState;
  /** Runs `work` before the n-th statement from now on that stands in no transaction, as if this process had paused there. */
  readonly pauseAt: (statement: number, work: () => Promise<void>) => void;
  /** The n-th statement from now on fails. `commits` counts COMMIT only. */
  readonly plan: (fault: StatementFault, at: number, counts: 'statements' | 'commits') => void;
  /** Ends the process: every further statement fails. */
  readonly die: () => void;
  /** The next process starts, and no fault is planned. Returns whether the former one had ended. */
  readonly revive: () => boolean;
  /**
   * Runs a step of the present process. What it does in parallel ends with the process, also when the next one has started meanwhile.
   */
  readonly asProcess: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether a planned fault happened. */
  readonly hasStruck: () => boolean;
  /** How many statements the product has run in this process. */
  readonly statements: () => number;
  /** Whether one of them is running. */
  readonly isBusy: () => boolean;
};

type Statement = string | { readonly text: string; readonly name?: string };
type Query = (...given: unknown[]) => Promise<unknown>;
type Planned = { readonly fault: StatementFault; left: number; readonly counts: 'statements' | 'commits' };

const ended = (): Error => new Error('the process ended here');
const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const ERRORS: Readonly<Record<StatementFault | Exclude<ServerState, 'well'>, () => Error>> = {
  crash_before: ended,
  crash_after: ended,
  lost_before: () => failure('08006', 'Connection terminated unexpectedly'),
  lost_after: () => failure('08006', 'Connection terminated unexpectedly'),
  conflict: () => failure('40001', 'could not serialize access due to concurrent update'),
  deadlock: () => failure('40P01', 'deadlock detected'),
  canceled: () => failure('57014', 'canceling statement due to statement timeout'),
  too_many: () => failure('53300', 'sorry, too many clients already'),
  read_only: () => failure('25006', 'cannot execute INSERT in a read-only transaction'),
  full: () => failure('53100', 'could not extend file: No space left on device'),
  away: () => failure('57P01', 'terminating connection due to administrator command'),
};
const WRITES = /^\s*(INSERT|UPDATE|DELETE|TRUNCATE)\b|\b(INSERT INTO|UPDATE|DELETE FROM)\b/;

/** `beforeStatement` runs before each statement of the product, such as to set the time that it sees. */
export function openSimulatedPool(real: Pool, beforeStatement: () => Promise<void>): SimulatedPool {
  const faults = new StatementFaults();
  const inTurn = openTurns();
  let running = 0;
  const run = async (query: Query, given: unknown[]): Promise<unknown> => {
    const text = textOf(given[0] as Statement);
    // The server rolls back when a connection breaks, so a dead process can still do this.
    if (text === 'ROLLBACK') return query(...given).finally(() => faults.endTransaction());
    await faults.pause();
    const error = faults.strike(text);
    if (error && !error.isAfter) throw error.error;
    running++;
    let result: unknown;
    try {
      await beforeStatement();
      result = await inTurn(() => query(named(given[0] as Statement, given[1]), ...given.slice(2)));
    } finally {
      running--;
    }
    if (text.startsWith('BEGIN')) faults.beginTransaction();
    if (text === 'COMMIT') faults.endTransaction();
    if (error) throw error.error;
    return result;
  };
  return {
    pool: guard(real, run),
    plan: (fault, left, counts) => faults.plan({ fault, left, counts }),
    pauseAt: (statement, work) => faults.pauseAt(statement, work),
    setServer: (state) => void (faults.server = state),
    server: () => faults.server,
    die: () => void (faults.isDead = true),
    revive: () => faults.revive(),
    asProcess: (work) => faults.asProcess(work),
    hasStruck: () => faults.hasStruck,
    statements: () => faults.statements,
    isBusy: () => running > 0,
  };
}

class StatementFaults {
  isDead = false;
  hasStruck = false;
  statements = 0;
  server: ServerState = 'well';
  #planned: Planned | null = null;
  #paused: { left: number; readonly work: () => Promise<void> } | null = null;
  #transactions = 0;
  /** How many processes have ended, and how many had when a step began. */
  #lives = 0;
  readonly #born = new AsyncLocalStorage<number>();

  asProcess<T>(work: () => Promise<T>): Promise<T> {
    return this.#born.run(this.#lives, work);
  }

  pauseAt(left: number, work: () => Promise<void>): void {
    this.#paused = { left, work };
    this.hasStruck = false;
  }

  beginTransaction(): void {
    this.#transactions++;
  }

  endTransaction(): void {
    this.#transactions = Math.max(0, this.#transactions - 1);
  }

  /** The process stands still here if it is its turn. A transaction holds locks, which what runs meanwhile would wait for. */
  async pause(): Promise<void> {
    const paused = this.#paused;
    if (!paused || this.#transactions > 0 || --paused.left > 0) return;
    this.#paused = null;
    this.hasStruck = true;
    await paused.work();
  }

  plan(planned: Planned): void {
    this.#planned = planned;
    this.hasStruck = false;
  }

  revive(): boolean {
    const wasDead = this.isDead;
    if (wasDead) this.#lives++;
    this.isDead = false;
    this.#planned = null;
    this.#paused = null;
    this.#transactions = 0;
    return wasDead;
  }

  /** How this statement fails, if it is its turn. `isAfter`: only when it had its effect. */
  strike(text: string): { readonly error: Error; readonly isAfter: boolean } | null {
    if (this.isDead || (this.#born.getStore() ?? this.#lives) < this.#lives) return { error: ended(), isAfter: false };
    this.statements++;
    const { server } = this;
    const isRefused = server === 'away' || (server !== 'well' && WRITES.test(text));
    if (server !== 'well' && isRefused) return { error: ERRORS[server](), isAfter: false };
    const planned = this.#planned;
    if (!planned || (planned.counts === 'commits' && text !== 'COMMIT') || --planned.left > 0) return null;
    this.#planned = null;
    this.hasStruck = true;
    const { fault } = planned;
    this.isDead = fault.startsWith('crash');
    return { error: ERRORS[fault](), isAfter: fault.endsWith('after') };
  }
}

const textOf = (statement: Statement): string => (typeof statement === 'string' ? statement : statement.text);

const names = new Map<string, string>();

/** Statements are prepared once for each connection: planning one anew takes longer than running it. */
function named(statement: Statement, values: unknown): object {
  const given = typeof statement === 'string' ? { text: statement } : statement;
  const all = values === undefined ? given : { ...given, values };
  if ('name' in given || !/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(given.text)) return all;
  if (!names.has(given.text)) names.set(given.text, `simulated-${names.size + 1}`);
  return { ...all, name: names.get(given.text) };
}

/** A pool or a connection whose statements go through `run`. */
function guard<T extends object>(target: T, run: (query: Query, given: unknown[]) => Promise<unknown>): T {
  return new Proxy(target, {
    get(own, key) {
      const value = Reflect.get(own, key) as unknown;
      if (typeof value !== 'function') return value;
      const method = value.bind(own) as Query;
      if (key === 'query') return (...given: unknown[]) => run(method, given);
      if (key === 'connect') return async () => guard((await method()) as object, run);
      // The connection works in truth, so the pool keeps it.
      if (key === 'release') return () => method();
      return method;
    },
  });
}
