// Every row S, H, J, M and P of docs/failure-model.md#bad-inputs has a test in this folder, whose name begins with the row's
// id. A row without a test fails here, and so does an id without a row.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The number of rows of each section. */
const SECTIONS = { S: 35, H: 17, J: 12, M: 28, P: 8 };
const ROWS = Object.entries(SECTIONS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, n) => `${letter}-${String(n + 1).padStart(2, '0')}`),
);

/** The ids that names of tests begin with: the first text after `test(` or after the table of `test.each(…)`. */
const idsIn = (source: string): string[] =>
  [...source.matchAll(/(?:\btest|\))\(\s*(['"`])([A-Z]-\d{2}) .+\1/g)].map(([, , id = '']) => id);

test('every row has its test', () => {
  const files = fs
    .readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.test.ts') && name !== 'rows.test.ts');
  const tested = new Set(files.flatMap((name) => idsIn(fs.readFileSync(path.join(import.meta.dirname, name), 'utf8'))));
  expect([...tested].toSorted()).toEqual(ROWS.toSorted());
});

test('an id counts only where the name of a test begins with it', () => {
  const source = [
    `test('S-01 a', () => {});`,
    `// S-02`,
    `])(\n  'H-03 %s', () => {});`,
    `test('about M-01', f);`,
    `const a = 'J-01 x';`,
  ];
  expect(idsIn(source.join('\n'))).toEqual(['S-01', 'H-03']);
});
