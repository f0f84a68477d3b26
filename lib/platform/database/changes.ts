// One line in the log for each change of a state that is committed. The functions that make changes name them here; a change of a
// transaction that rolls back leaves no line. Where traces are exported, each is a span in the trace of its request too. docs/operate/logs.md lists the fields.

import type { Log } from '@/lib/platform/log';
import { traceIdOf, tracing } from '@/lib/platform/tracing/tracing';
import { afterCommit, openTransaction, type Db } from './db';

export type Change = {
  readonly of: 'session' | 'payment' | 'refund' | 'payout' | 'cold_transfer' | 'event' | 'delivery';
  /** What it became: a status, or `seen`, `final` and `recorded` of what has none. */
  readonly to: string;
  readonly from?: string | null;
  readonly store?: string | null;
  /** The ids by which a person searches. Null leaves the field out. */
  readonly session?: string | null;
  readonly order_id?: string | null;
  readonly request_id?: string | null;
  /** The trace that the change belongs to. The log has its id as `trace_id`. */
  readonly traceparent?: string | null;
  readonly refund?: string | null;
  readonly refund_id?: string | null;
  readonly payout?: string | null;
  readonly payout_id?: string | null;
  readonly cold_transfer?: string | null;
  readonly transaction?: string | null;
  readonly event?: string | null;
  readonly type?: string | null;
  readonly delivery?: string | null;
  readonly attempt?: number;
  readonly status?: number | null;
  readonly ms?: number;
};

/** By the pool of a process. Shared by the copies of this file in one process, as the pool is. */
const logs = ((globalThis as unknown as { stabletillChangeLogs?: WeakMap<object, Log> }).stabletillChangeLogs ??=
  new WeakMap());

/** From now on, changes that are made through this pool are written to this log. */
export const logChanges = (pool: object, log: Log): void => void logs.set(pool, log);

/** Writes the line once the change is committed. `db`: the transaction that makes the change, or the pool for a statement that has. */
export function noteChange(db: Db, { traceparent, ...change }: Change): void {
  const log = logs.get(openTransaction(db)?.pool ?? db);
  if (!log) return;
  const given = Object.fromEntries(
    Object.entries(change).filter(
      (entry): entry is [string, string | number] => entry[1] !== null && entry[1] !== undefined,
    ),
  );
  const name = `${change.of} ${change.to}`;
  afterCommit(db, () => {
    log.info(traceparent ? { ...given, trace_id: traceIdOf(traceparent) } : given, name);
    if (traceparent) tracing()?.happened(traceparent, { name, attributes: given, milliseconds: change.ms ?? 0 });
  });
}
