// Records, while the tests run, what each typed SQL statement of the product returned: its columns as PostgreSQL describes them, and
// which of them were null. `scripts/check/row-types.ts` compares that with the row types in the source.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import type { RecordedStatement } from '@/scripts/check/row-types';

const ROOT = path.join(import.meta.dirname, '../..');
const SOURCE = path.join(ROOT, 'lib') + path.sep;
const directory = inject('rowTypes');

/** Test files share a process, and this module runs for each of them. */
const shared = globalThis as {
  recordedStatements?: Map<string, RecordedStatement>;
  sourceMapped?: typeof Error.prepareStackTrace;
};
/** Gives the lines of the sources. Next replaces it by one that gives those of the compiled code. */
const sourceMapped = (shared.sourceMapped ??= Error.prepareStackTrace);
const isObserved = shared.recordedStatements !== undefined;
const recorded = (shared.recordedStatements ??= new Map<string, RecordedStatement>());

if (directory !== null) {
  if (!isObserved) {
    observe(pg.Client.prototype);
    observe(pg.Pool.prototype);
  }
  afterAll(() => {
    const lines = [...recorded.values()].map((one) => `${JSON.stringify(one)}\n`);
    if (lines.length > 0) fs.appendFileSync(path.join(directory, `${process.pid}.jsonl`), lines.join(''));
    recorded.clear();
  });
}

type Queries = { query: (...given: unknown[]) => unknown };
type Statement = { readonly text?: unknown };

/** A query that reports to a callback is one that the pool sends on; the pool's own call is recorded. */
function observe(prototype: Queries): void {
  const query = prototype.query;
  prototype.query = function observed(this: unknown, ...given: unknown[]): unknown {
    const result = query.apply(this, given);
    const [statement] = given as [string | Statement];
    const text = typeof statement === 'string' ? statement : statement?.text;
    if (!(result instanceof Promise) || typeof text !== 'string') return result;
    const site = siteOf(stackHere());
    if (site !== null) (result as Promise<pg.QueryResult>).then((answer) => record(site, text, answer), ignore);
    return result;
  };
}

function stackHere(): string {
  const current = Error.prepareStackTrace;
  Error.prepareStackTrace = sourceMapped;
  try {
    return new Error('only its stack is read').stack ?? '';
  } finally {
    Error.prepareStackTrace = current;
  }
}

/** The caller handles the failed statement. */
const ignore = (): void => {};

/** It passes the statements of others on. */
const PASSES_ON = 'lib/platform/database/snapshot.ts';

/** What the simulator does, also between two statements of the product. */
const ACTIONS = path.join(ROOT, 'simulation/actions') + path.sep;

/** The first frame in the product's own code, as `file:line`; null when a test or an action of the simulator made the statement. */
function siteOf(stack: string): string | null {
  for (const frame of stack.split('\n')) {
    const at = /(?:file:\/\/)?(\/[^():]+):(\d+):\d+\)?$/.exec(frame);
    if (at?.[1] === undefined) continue;
    if (at[1].endsWith('.test.ts') || at[1].startsWith(ACTIONS)) return null;
    if (at[1].endsWith(PASSES_ON)) continue;
    if (at[1].startsWith(SOURCE)) return `${path.relative(ROOT, at[1])}:${at[2]}`;
  }
  return null;
}

function record(site: string, text: string, { fields, rows }: pg.QueryResult): void {
  // A statement without rows has no fields either, and several statements in one text give a list of results.
  if (!Array.isArray(fields) || fields.length === 0) return;
  const key = `${site} ${text}`;
  let known = recorded.get(key);
  if (known === undefined) {
    const [file = '', line] = site.split(':');
    const columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
      name,
      type: dataTypeID,
      table: tableID,
      attribute: columnID,
      hasNull: false,
    }));
    recorded.set(key, (known = { file, line: Number(line), text, columns }));
  }
  for (const column of known.columns) {
    column.hasNull ||= rows.some(
      (row: Record<string, unknown> | unknown[]) => !Array.isArray(row) && row[column.name] === null,
    );
  }
}
