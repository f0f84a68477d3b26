// The last warnings and errors of a log, with listed fields only. Pure.

import { redact } from './redact';

/** Pino's number for warnings. */
const WARN = 40;
const MAX_LINES = 300;
/** A stack is useful to its first frames. */
const LONGEST_TEXT = 2000;
const FIELDS = [
  'time',
  'level',
  'name',
  'process',
  'msg',
  'step',
  'network',
  'environment',
  'code',
  'status',
  'kind',
  'reason',
];
const ERROR_FIELDS = ['type', 'name', 'code', 'message', 'stack'];

/** Newest last. A line that is no JSON, such as one of PostgreSQL or of a crash, is redacted as a whole. */
export function lastErrors(text: string, known: readonly string[]): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap((line) => shownLine(line, known) ?? []).slice(-MAX_LINES);
}

function shownLine(line: string, known: readonly string[]): string | null {
  const entry = entryIn(line);
  if (!entry)
    return /ERROR|FATAL|PANIC|WARN|^\s+at |Error/.test(line) ? redact(line, known).slice(0, LONGEST_TEXT) : null;
  if (typeof entry.level === 'number' && entry.level < WARN) return null;
  const own = pick(entry, FIELDS, known);
  const error = isObject(entry.err) ? { err: pick(entry.err, ERROR_FIELDS, known) } : {};
  return JSON.stringify({ ...own, ...error });
}

function entryIn(line: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(line.slice(Math.max(0, line.indexOf('{'))));
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function pick(from: Record<string, unknown>, fields: readonly string[], known: readonly string[]) {
  const shown: Record<string, string | number> = {};
  for (const field of fields) {
    const value = from[field];
    if (typeof value === 'number') shown[field] = value;
    if (typeof value === 'string') shown[field] = redact(value, known).slice(0, LONGEST_TEXT);
  }
  return shown;
}
