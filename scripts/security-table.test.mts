// docs/security.md has a row for each requirement of OWASP ASVS 5.0, levels 1 and 2. This test fails for a row whose
// test, file or section does not exist, and for a gap missing from the list “Not met yet”.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cellsOf, missingTests, namedTests, testReader, type ReadTest } from './check/named-tests';

const ROOT = path.join(import.meta.dirname, '..');
const DOCUMENT = path.join(ROOT, 'docs/security.md');
/** Requirements of levels 1 and 2 in ASVS 5.0.0. */
const REQUIREMENTS = 253;
/** A paraphrase, not a copy. */
const MAX_WORDS = 15;
const STATES = ['met', 'partly', 'not met', 'not applicable'];

type Row = { readonly id: string; readonly cells: readonly string[] };

/** The rows whose first cell is a requirement such as V1.2.3. */
const rowsOf = (markdown: string): Row[] =>
  markdown.split('\n').flatMap((line) => {
    const [id = '', ...cells] = cellsOf(line);
    return /^V\d+\.\d+\.\d+$/.test(id) ? [{ id, cells }] : [];
  });

/** The files of this repository that a text names in code marks. */
const namedFiles = (text: string): string[] =>
  [...text.matchAll(/`([\w./[\]-]+\.(?:ts|tsx|mts|mjs|json|md|yaml)|Dockerfile|\.dockerignore)`/g)].map(
    ([, file = '']) => file,
  );

const namedSections = (text: string): string[] =>
  [...text.matchAll(/\bbelow, ([A-Z][\w ]*)/g)].map(([, title = '']) => title);

type Place = { readonly read: ReadTest; readonly hasFile: (file: string) => boolean; readonly sections: string[] };

/** The faults of a row, as sentences; empty when it is valid. */
function faultsOf({ id, cells }: Row, { read, hasFile, sections }: Place): string[] {
  const [demand = '', state = '', evidence = ''] = cells;
  if (cells.length !== 3 || demand === '' || evidence === '')
    return [`${id}: the row needs demand, state and evidence`];
  const [files, titles] = [namedFiles(evidence), namedSections(evidence)];
  const isBacked = namedTests(evidence).length + files.length + titles.length > 0;
  return [
    ...(STATES.includes(state) ? [] : [`there is no state “${state}”`]),
    ...(demand.split(/\s+/).length > MAX_WORDS ? [`the demand has more than ${MAX_WORDS} words`] : []),
    ...(state === 'met' && !isBacked ? ['nothing that exists is named for it'] : []),
    ...missingTests(evidence, read),
    ...files.filter((file) => !hasFile(file)).map((file) => `there is no file ${file}`),
    ...titles.filter((title) => !sections.includes(title)).map((title) => `there is no section “${title}”`),
  ].map((fault) => `${id}: ${fault}`);
}

const text = fs.readFileSync(DOCUMENT, 'utf8');
const rows = rowsOf(text);
const place: Place = {
  read: testReader(DOCUMENT),
  hasFile: (file) => fs.existsSync(path.join(ROOT, file)),
  sections: [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title),
};

test('every requirement of ASVS levels 1 and 2 has a row whose tests, files and sections exist', () => {
  expect(rows.flatMap((row) => faultsOf(row, place))).toEqual([]);
  expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([REQUIREMENTS, REQUIREMENTS]);
});

test('the list of gaps names every row that is not wholly met, and no other', () => {
  const gaps = rows.filter(({ cells }) => ['partly', 'not met'].includes(cells[1] ?? '')).map(({ id }) => id);
  const list = /^## Not met yet$(.*?)^## /ms.exec(text)?.[1] ?? '';
  const listed = [...list.matchAll(/\bV\d+\.\d+\.\d+\b/g)].map(([id]) => id);
  expect(listed.toSorted()).toEqual(gaps.toSorted());
});

test('the introduction counts the rows correctly', () => {
  const counts = STATES.map((state) => rows.filter(({ cells }) => cells[1] === state).length);
  const [met, partly, not, foreign] = counts;
  expect(text).toContain(
    `Of ${rows.length} requirements ${met} are met, ${partly} partly, ${not} not, and ${foreign} do not apply`,
  );
});

test('a row is refused with a test, file or section that does not exist, without evidence, and with an unknown state', () => {
  const known: Place = {
    read: (file) => (file === 'a.test.ts' ? `test('a sum', () => {});` : null),
    hasFile: (file) => file === 'lib/a.ts',
    sections: ['Keys'],
  };
  const faults = (cells: string) => rowsOf(`| V1.2.3 | ${cells} |`).flatMap((row) => faultsOf(row, known)).length;
  expect(faults('Add. | met | [a](a.test.ts) “a sum”, in `lib/a.ts`; below, Keys')).toBe(0);
  expect(faults('Add. | not applicable | there are no numbers')).toBe(0);
  const wrong = [
    'Add. | met | [a](a.test.ts) “another sum”',
    'Add. | met | [b](b.test.ts) “a sum”',
    'Add. | partly | in `lib/b.ts`',
    'Add. | met | below, Locks',
    'Add. | met | we hope so',
    'Add. | perhaps | in `lib/a.ts`',
    'Add. | met | ',
    `${'add '.repeat(MAX_WORDS + 1)}| met | in \`lib/a.ts\``,
  ];
  expect(wrong.map(faults)).toEqual(wrong.map(() => 1));
});
