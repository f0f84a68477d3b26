// The project's language, as far as a program can check it: no retired word (docs/glossary.md) in any file. Documents
// have no link to a path or heading that does not exist.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { RETIRED_WORDS, retiredWordsIn } from './words';

const ROOT = path.join(import.meta.dirname, '../..');
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const textOf = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** Files that name the retired words: the glossary and the check. The contract's table quotes the specification. */
const QUOTES = ['docs/glossary.md', 'docs/contract.md', 'scripts/check/words.ts', 'scripts/check/words.test.mts'];
const READ = /\.(ts|tsx|mts|mjs|md)$|^messages\/(dashboard\/|docs\/|docs\/reference\/)?en\.json$/;
/** Hosted pages use the term of the customer's wallet for the address that receives. */
const CUSTOMER_TEXTS = 'messages/en.json';

test('no file uses a retired word', () => {
  const files = tracked.filter((file) => READ.test(file) && !QUOTES.includes(file) && file !== CUSTOMER_TEXTS);
  expect(files.length).toBeGreaterThan(1500);
  expect(files.flatMap((file) => retiredWordsIn(file, textOf(file)))).toEqual([]);
});

test.each([
  ['const riddleOf = 1;', 'riddle'],
  ['// Whoever comes late', 'whoever'],
  ['setDoer(a)', 'doer'],
  ['a receiving address', 'receiving address'],
  ['the operator’s desk', 'the desk'],
  ['agreeOnFate()', 'fate'],
])('%s is found as “%s”', (text, word) => {
  expect(retiredWordsIn('a.ts', `\n${text}`)).toEqual([expect.stringContaining(`a.ts:2 says “${word}”`)]);
});

test.each(['the deposit address', 'a desktop browser', 'the actor', 'a vouched_at column', 'the second password'])(
  '“%s” is fine',
  (text) => {
    expect(retiredWordsIn('a.ts', text)).toEqual([]);
  },
);

test('the glossary names every retired word that the check knows', () => {
  const glossary = textOf('docs/glossary.md').toLowerCase();
  const missing = RETIRED_WORDS.map(({ word }) => word.split(',')[0] ?? '').filter((word) => !glossary.includes(word));
  expect(missing).toEqual(['word of', 'what of']);
});

describe('the documents', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    ...tracked.filter((file) => /^docs\/(?:[^/]+\/)?[^/]+\.md$/.test(file)),
  ];

  test('name only files that exist', () => {
    const paths = documents.flatMap((file) =>
      [
        ...textOf(file).matchAll(/`((?:lib|app|components|scripts|testing|packages|prisma|e2e|docs)\/[\w./()[\]-]+)`/g),
      ].map(([, named = '']) => [file, named] as const),
    );
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter(([, named]) => !fs.existsSync(path.join(ROOT, named)))).toEqual([]);
  });

  test('link only to files that exist', () => {
    const links = documents.flatMap((file) =>
      [...textOf(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) =>
        path.join(path.dirname(file), link),
      ),
    );
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((link) => !fs.existsSync(path.join(ROOT, link)))).toEqual([]);
  });
});
