// Checks documents that name tests: a link to a test file and a test title, `[label](../lib/a.test.ts) “title”`.
// Reports the tests that do not exist. Pure, apart from `testReader`.

import fs from 'node:fs';
import path from 'node:path';

export type NamedTest = { readonly file: string; readonly title: string };
/** The source of the test file behind a link; null when there is none. */
export type ReadTest = (link: string) => string | null;

const NAMED = /\[[^\]]+\]\(([^)]+)\) “([^”]+)”/g;

/** The tests named in a text. */
export const namedTests = (text: string): NamedTest[] =>
  [...text.matchAll(NAMED)].map(([, file = '', title = '']) => ({ file, title }));

/** One sentence for each named test that does not exist. */
export const missingTests = (text: string, read: ReadTest): string[] =>
  namedTests(text).flatMap(({ file, title }) => {
    const source = read(file);
    if (source === null) return [`there is no test file ${file}`];
    return hasTest(source, title) ? [] : [`${file} has no test “${title}”`];
  });

/** Whether a source has a test with this title. A title built in a loop is matched as the template in the source. */
function hasTest(source: string, title: string): boolean {
  const text = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?:\\b(?:test|it)|\\))\\(\\s*(['"\`])${text}\\1`).test(source);
}

/** Reads the test files that a document links to. */
export const testReader =
  (document: string): ReadTest =>
  (link) => {
    const file = path.resolve(path.dirname(document), link);
    return /\.(test|spec)\.m?tsx?$/.test(file) && fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
  };

/** The trimmed cells of a table row; none for a line that is not a row. */
export const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
