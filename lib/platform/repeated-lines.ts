// Limits what the log repeats. In an outage every step and every request fails in the same way, many times a second, and would fill the
// disk of the log and hide the first line, which has the cause.

import { inspect } from 'node:util';

type Fields = Readonly<Record<string, unknown>> & { readonly err: unknown };
type Write = (fields: Fields) => void;

/** Equal lines within a window after the first. The others are counted, and the last one is written with their number at its end. */
const SHOWN = 3;
const WINDOW_MILLISECONDS = 60_000;
/** A process that fails in more ways than this logs all of them. */
const MAX_KINDS = 1000;
/** They differ each time. */
const CHANGING = new Set(['requestId', 'request_id', 'trace_id', 'failures', 'pause', 'err']);

const READ_ONLY = '25006';
const isReadOnly = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === READ_ONLY;

type Kind = { shown: number; hidden: number; last: (() => void) | null };

/** The kinds of all logs of this process of which something is held back. */
const heldBack = new Set<Kind>();
function flush(kind: Kind): void {
  heldBack.delete(kind);
  kind.last?.();
}
let flushesAtExit = false;
/** The timers do not keep a process running, so its end writes what they would have written. */
function flushAtExit(): void {
  if (flushesAtExit) return;
  flushesAtExit = true;
  process.once('exit', () => [...heldBack].forEach(flush));
}

/**
 * Whether a line is written by the caller now. `write` may be called later, for the last of the lines that were left out. `bindings`: the
 * fields that a part's own log adds to each line.
 */
export function openRepeatLimit(windowMilliseconds = WINDOW_MILLISECONDS) {
  const kinds = new Map<string, Kind>();
  const begin = (key: string): Kind => {
    const kind: Kind = { shown: 0, hidden: 0, last: null };
    kinds.set(key, kind);
    setTimeout(() => {
      kinds.delete(key);
      flush(kind);
    }, windowMilliseconds).unref();
    return kind;
  };
  return (message: string, fields: Fields, bindings: object, write: Write): boolean => {
    const key = keyOf(message, { ...bindings, ...fields });
    const known = kinds.get(key);
    if (known === undefined && kinds.size >= MAX_KINDS) return true;
    const kind = known ?? begin(key);
    if (kind.shown < SHOWN) return ++kind.shown > 0;
    kind.hidden++;
    heldBack.add(kind);
    flushAtExit();
    kind.last = () => write({ ...fields, repeated: kind.hidden });
    return false;
  };
}

/** What fails, in which step of which part, and why. */
function keyOf(message: string, { err, ...fields }: Fields): string {
  const about = Object.entries(fields).filter(([field]) => !CHANGING.has(field));
  // JSON would throw for a bigint and for a circle.
  return inspect([message, reasonOf(err), about]);
}

/** A read-only database names each statement differently. An address with several hosts fails with an error for each and no text of its own. */
function reasonOf(err: unknown): string {
  if (isReadOnly(err)) return READ_ONLY;
  if (!(err instanceof Error)) return String(err);
  const causes = err instanceof AggregateError ? err.errors.map(reasonOf) : [];
  return [err.name, err.message, ...causes].join(' ');
}

export const hasError = (fields: unknown): fields is Fields =>
  typeof fields === 'object' && fields !== null && 'err' in fields;
