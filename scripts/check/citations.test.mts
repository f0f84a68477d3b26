// Every document that code or documents cite is in the repository, with the heading that is cited. Every row id in the code is
// a row of docs/failure-model.md, and every row there has code that names it.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingTests, namedTests, testReader } from './named-tests';
import { citationsIn, firstCells, papersIn, rowsNamedIn, slugOf, slugsOf } from './citations';

const ROOT = path.join(import.meta.dirname, '../..');
/** An applied migration never changes, not even its comments: `scripts/migrate.mjs` compares checksums. */
const FROZEN = 'prisma/migrations/';
/** Their texts hold invented citations. */
const OWN = ['scripts/check/citations.ts', 'scripts/check/citations.test.mts'];
const READ = /\.(ts|tsx|mts|mjs|md|prisma|json|yaml|yml|txt)$|^\.env\.example$|^Dockerfile$/;

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => READ.test(file) && !file.startsWith(FROZEN) && !OWN.includes(file) && file !== 'package-lock.json');
const textOf = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
const code = tracked.filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file));

/** The cited file: from the root, or beside the file that cites it. Null when there is none. */
function fileOf(from: string, document: string): string | null {
  const places = [document, path.join(path.dirname(from), document)];
  return places.find((place) => fs.existsSync(path.join(ROOT, place))) ?? null;
}

function faultOf(from: string, { document, slug }: { document: string; slug: string | null }): string | null {
  const file = fileOf(from, document);
  if (file === null) return `there is no ${document}`;
  return slug === null || slugsOf(textOf(file)).has(slug) ? null : `${document} has no heading #${slug}`;
}

test('every cited document and heading exists', () => {
  const cited = tracked.flatMap((from) => citationsIn(textOf(from)).map((one) => ({ from, ...one })));
  expect(cited.length).toBeGreaterThan(130);
  expect(cited.filter(({ slug }) => slug !== null).length).toBeGreaterThan(50);
  const faults = cited.flatMap(({ from, line, ...one }) => {
    const fault = faultOf(from, one);
    return fault === null ? [] : [`${from}:${line}: ${fault}`];
  });
  expect(faults).toEqual([]);
});

test('every anchor inside a document exists', () => {
  const anchors = tracked
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => [...textOf(file).matchAll(/\]\(#([^)]+)\)/g)].map(([, slug = '']) => ({ file, slug })));
  expect(anchors.length).toBeGreaterThan(2);
  expect(anchors.filter(({ file, slug }) => !slugsOf(textOf(file)).has(slug))).toEqual([]);
});

test('every test that a document names exists', () => {
  const documents = tracked.filter((file) => file.startsWith('docs/') && file.endsWith('.md'));
  expect(documents.flatMap((file) => namedTests(textOf(file))).length).toBeGreaterThan(500);
  expect(documents.flatMap((file) => missingTests(textOf(file), testReader(path.join(ROOT, file))))).toEqual([]);
});

test('no file cites a paper that is not in the repository', () => {
  expect(tracked.flatMap((file) => papersIn(file, textOf(file)))).toEqual([]);
});

describe('docs/failure-model.md', () => {
  const rows = firstCells(textOf('docs/failure-model.md'));
  const named = new Map(code.flatMap((file) => rowsNamedIn(textOf(file)).map((row) => [row, file] as const)));

  test('has every row that the code names', () => {
    expect(named.size).toBeGreaterThan(180);
    expect([...named].filter(([row]) => !rows.has(row))).toEqual([]);
  });

  test('has no bad-input row that the code does not name', () => {
    const inputs = [...rows].filter((row) => /^[A-Z]-\d{2}$/.test(row));
    expect(inputs.length).toBeGreaterThan(180);
    expect(inputs.filter((row) => !named.has(row))).toEqual([]);
  });
});

test('the fraud catalogue has every row that its tests name', () => {
  const rows = firstCells(textOf('docs/network-facts.md'));
  const named = tracked
    .filter((file) => file.endsWith('/fraud.test.ts'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/row: ['"](\d+(?:, \d+)*) /g)].flatMap(([, ids = '']) => ids.split(', ')),
    );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((row) => !rows.has(row))).toEqual([]);
});

test('a citation is read in every form in which it is written', () => {
  const text = [
    '// as docs/a.md#the-b says',
    'see `a.md`, “The b”',
    '(docs/a.md, The b)',
    '(`operate.md`, The b)',
    'docs/a.md, The b is long',
    '[a](../docs/a.md#the-b)',
  ];
  expect(text.map((line) => citationsIn(line).map(({ document, slug }) => [document, slug]))).toEqual([
    [['docs/a.md', 'the-b']],
    [['a.md', 'the-b']],
    [['docs/a.md', 'the-b']],
    [['operate.md', 'the-b']],
    [['docs/a.md', null]],
    [['../docs/a.md', 'the-b']],
  ]);
});

test('finds missing headings, missing documents and papers outside the repository', () => {
  expect(faultOf('lib/a.ts', { document: 'docs/glossary.md', slug: 'payments' })).toBeNull();
  expect(faultOf('docs/operate.md', { document: 'glossary.md', slug: null })).toBeNull();
  expect(faultOf('lib/a.ts', { document: 'docs/glossary.md', slug: 'riches' })).not.toBeNull();
  expect(faultOf('lib/a.ts', { document: 'chains.md', slug: null })).not.toBeNull();
  const papers = ['(hardening C-07)', 'hardening 4.9', 'chains 2.2', '(decisions: Authentication)', '../shared/x'];
  expect(papers.map((text) => papersIn('a.ts', text).length)).toEqual([1, 1, 1, 1, 1]);
  expect(papersIn('a.ts', 'a hardening test, the decisions: two, chains of 2.2 s')).toEqual([]);
});

test('headings become anchors as GitHub makes them, and lines of code do not', () => {
  expect(slugOf('What `of` this, “that” & 4.1?')).toBe('what-of-this-that--41');
  expect([...slugsOf('# A b\n```\n# no\n```\n### C')]).toEqual(['a-b', 'c']);
});
