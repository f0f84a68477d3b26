// A test name covers every security row with an id D, N or O: unit tests, and the stories in e2e/ that run against the whole
// product. A row without a test fails here, and so does an id without a row.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
/** How many rows each section has. */
const SECTIONS = { D: 29, N: 15, O: 7 };
const ROWS = Object.entries(SECTIONS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, n) => `${letter}-${String(n + 1).padStart(2, '0')}`),
);

/** The ids that a test's name begins with, such as `D-01, D-02: …`: the first text after `test(` or after `test.each(…)`. */
const idsIn = (source: string): string[] =>
  [...source.matchAll(/(?:\b(?:test|it)|\))\(\s*(['"`])((?:[DNO]-\d{2}, )*[DNO]-\d{2}): .+\1/g)].flatMap(
    ([, , ids = '']) => ids.split(', '),
  );

function testFiles(place: string): string[] {
  return fs.readdirSync(path.join(ROOT, place), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${place}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(inside);
    return /\.(test|spec)\.m?tsx?$/.test(entry.name) && !inside.endsWith('/rows.test.ts') ? [inside] : [];
  });
}

test('every row has a test', () => {
  const files = ['lib', 'app', 'components', 'sandbox', 'testing', 'scripts', 'e2e'].flatMap(testFiles);
  const tested = new Set(files.flatMap((file) => idsIn(fs.readFileSync(path.join(ROOT, file), 'utf8'))));
  expect([...tested].toSorted()).toEqual(ROWS.toSorted());
});

test('an id counts only at the beginning of a test’s name', () => {
  const source = [
    `test('D-01, N-02: a', () => {});`,
    `// D-03: x`,
    `])(\n  'O-03: %s', () => {});`,
    `test('about D-04: x', f);`,
    `test.skip('D-05: x', f);`,
    `it('D-06 x', f);`,
    `it('D-07: x', f);`,
  ];
  expect(idsIn(source.join('\n'))).toEqual(['D-01', 'N-02', 'O-03', 'D-07']);
});
