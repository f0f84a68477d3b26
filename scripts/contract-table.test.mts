// docs/contract.md lists every statement of the specification with its tests. This test fails for a row without a test,
// and for a row whose file or test title does not exist.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cellsOf, missingTests, namedTests, testReader, type ReadTest } from './check/named-tests';

const DOCUMENT = path.join(import.meta.dirname, '../docs/contract.md');
/** The audit of 2026-11-22 counted 296 statements. Fewer rows mean that some were lost. */
const LEAST_ROWS = 296;

type Row = { readonly number: string; readonly cells: readonly string[] };

/** The rows whose first cell is a number such as 4.12. */
const rowsOf = (markdown: string): Row[] =>
  markdown.split('\n').flatMap((line) => {
    const [number = '', ...cells] = cellsOf(line);
    return /^\d+\.\d+$/.test(number) ? [{ number, cells }] : [];
  });

/** The faults of a row, as sentences; empty when a test holds it. */
function faultsOf({ number, cells }: Row, read: ReadTest): string[] {
  const [statement = ''] = cells;
  if (cells.length !== 3 || statement === '') return [`${number}: the row needs statement, reading and tests`];
  const tests = cells.at(-1) ?? '';
  if (namedTests(tests).length === 0) return [`${number}: no test`];
  return missingTests(tests, read).map((fault) => `${number}: ${fault}`);
}

const rows = rowsOf(fs.readFileSync(DOCUMENT, 'utf8'));

test('every statement of the contract names a test that exists', () => {
  expect(rows.flatMap((row) => faultsOf(row, testReader(DOCUMENT)))).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(LEAST_ROWS);
});

test('the statements of each section are numbered from 1 without a gap', () => {
  const counts = new Map<number, number>();
  const expected = rows.map(({ number }) => {
    const section = Number(number.split('.')[0]);
    const count = (counts.get(section) ?? 0) + 1;
    counts.set(section, count);
    return `${section}.${count}`;
  });
  expect(rows.map(({ number }) => number)).toEqual(expected);
  expect([...counts.keys()]).toEqual(Array.from({ length: counts.size }, (_, n) => n + 1));
});

test('refuses a row without a test, with a missing file, and with a title that its file lacks', () => {
  const source = `test('a sum', () => {});\ntest.each([1])(\n  'a sum of %i', f);\nconst x = 'a text';`;
  const read = (file: string) => (file === 'a.test.ts' ? source : null);
  const faults = (holder: string) =>
    rowsOf(`| 1.1 | It holds. | | ${holder} |`).flatMap((row) => faultsOf(row, read)).length;
  expect(faults('[a](a.test.ts) “a sum”, [a](a.test.ts) “a sum of %i”')).toBe(0);
  const wrong = ['', 'a sum', '[b](b.test.ts) “a sum”', '[a](a.test.ts) “a text”', '[a](a.test.ts) “a su.”'];
  expect(wrong.map(faults)).toEqual([1, 1, 1, 1, 1]);
});
