// Limits what the log repeats. In an outage every step and every request fails in the same way, many times a second, and would fill the
// disk of the log and hide the first line, which has the cause.

import { inspect } from 'node:util';
import { isDatabaseAway } from './database/away';

type Fields = Readonly<Record<string, unknown>> & { readonly err: unknown };
type Write = (fields: Fields) => void;

/** Equal lines within a window after the first. The others are counted, and the last one is written with their number at its end. */
const SHOWN = 3;
const WINDOW_MILLISECONDS = 60_000;
/** A process that fails in more ways than this logs all of them. */
const MAX_KINDS = 1000;
/** They differ each time. */
const CHANGING = new Set(['requestId', 'failures', 'pause', 'err']);

const READ_ONLY = '25006';
const isReadOnly = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === READ_ONLY;

type Kind = { shown: number; hidden: number; last: (() => void) | null };

/** Whether a line is written by the caller now. `write` may be called later, for the last of the lines that were left out. */
export function openRepeatLimit(windowMilliseconds = WINDOW_MILLISECONDS) {
  const kinds = new Map<string, Kind>();
  const begin = (key: string): Kind => {
    const kind: Kind = { shown: 0, hidden: 0, last: null };
    kinds.set(key, kind);
    setTimeout(() => {
      kinds.delete(key);
      kind.last?.();
    }, windowMilliseconds).unref();
    return kind;
  };
  return (message: string, fields: Fields, write: Write): boolean => {
    const key = keyOf(message, fields);
    const known = kinds.get(key);
    if (known === undefined && kinds.size >= MAX_KINDS) return true;
    const kind = known ?? begin(key);
    if (kind.shown < SHOWN) return ++kind.shown > 0;
    kind.hidden++;
    kind.last = () => write({ ...fields, repeated: kind.hidden });
    return false;
  };
}

/** Everything that needs a server fails alike when it is away, whatever it is. A read-only database names each statement differently. */
function keyOf(message: string, { err, ...fields }: Fields): string {
  const { name, message: why } = err instanceof Error ? err : { name: '', message: String(err) };
  if (isReadOnly(err)) return READ_ONLY;
  if (isDatabaseAway(err)) return why;
  const about = Object.entries(fields).filter(([field]) => !CHANGING.has(field));
  // JSON would throw for a bigint and for a circle.
  return inspect([message, name, why, about]);
}

export const hasError = (fields: unknown): fields is Fields =>
  typeof fields === 'object' && fields !== null && 'err' in fields;
