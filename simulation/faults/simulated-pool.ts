// The database connections of the simulated processes. They run the product's real statements and fail where a history
// says: as if the process had ended, as if the connection was lost, or as if a transaction had lost a race.

import type { Pool } from '@/lib/platform/database/db';

/**
 * `crash_before` and `crash_after`: nothing runs from the statement on, which had an effect or not. `lost_before` and
 * `lost_after`: this statement alone fails, and the caller cannot know whether it had an effect. `conflict`: PostgreSQL
 * ends the transaction as the loser of a race.
 */
export const STATEMENT_FAULTS = ['crash_before', 'crash_after', 'lost_before', 'lost_after', 'conflict'] as const;
export type StatementFault = (typeof STATEMENT_FAULTS)[number];

export type SimulatedPool = {
  readonly pool: Pool;
  /** The n-th statement from now on fails. `commits` counts COMMIT only. */
  readonly plan: (fault: StatementFault, at: number, counts: 'statements' | 'commits') => void;
  /** Ends the process: every further statement fails. */
  readonly die: () => void;
  /** The next process starts, and no fault is planned. Returns whether the former one had ended. */
  readonly revive: () => boolean;
  /** Whether a planned fault happened. */
  readonly hasStruck: () => boolean;
  readonly statements: () => number;
};

type Query = (...given: unknown[]) => Promise<unknown>;
type Planned = { readonly fault: StatementFault; left: number; readonly counts: 'statements' | 'commits' };

const ended = (): Error => new Error('the process ended here');
const lost = (): Error => Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });
const conflict = (): Error => Object.assign(new Error('could not serialize access'), { code: '40001' });

export function openSimulatedPool(real: Pool): SimulatedPool {
  const state = { isDead: false, planned: null as Planned | null, hasStruck: false, statements: 0 };

  /** The fault of this statement, if it is its turn. */
  const strike = (text: string): StatementFault | null => {
    state.statements++;
    const { planned } = state;
    if (!planned || (planned.counts === 'commits' && text !== 'COMMIT') || --planned.left > 0) return null;
    state.planned = null;
    state.hasStruck = true;
    if (planned.fault.startsWith('crash')) state.isDead = true;
    return planned.fault;
  };

  const run = async (query: Query, given: unknown[]): Promise<unknown> => {
    const [first] = given as [string | { readonly text?: string }];
    const text = typeof first === 'string' ? first : (first.text ?? '');
    // The server rolls back when a connection breaks, so a dead process can still do this.
    if (text === 'ROLLBACK') return query(...given);
    if (state.isDead) throw ended();
    const fault = strike(text);
    if (fault === null) return query(...given);
    if (fault.endsWith('after')) await query(...given);
    throw fault === 'conflict' ? conflict() : fault.startsWith('crash') ? ended() : lost();
  };

  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(own, key) {
        const value = Reflect.get(own, key) as unknown;
        if (typeof value !== 'function') return value;
        const method = value.bind(own) as Query;
        if (key === 'query') return (...given: unknown[]) => run(method, given);
        if (key === 'connect') return async () => guarded((await method()) as object);
        // The connection works in truth, so the pool keeps it.
        if (key === 'release') return () => method();
        return method;
      },
    });

  return {
    pool: guarded(real),
    plan: (fault, at, counts) => {
      state.planned = { fault, left: at, counts };
      state.hasStruck = false;
    },
    die: () => void (state.isDead = true),
    revive: () => {
      const wasDead = state.isDead;
      Object.assign(state, { isDead: false, planned: null });
      return wasDead;
    },
    hasStruck: () => state.hasStruck,
    statements: () => state.statements,
  };
}
