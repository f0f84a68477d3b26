// The programs of docs/snippets for the guides: complete, or the part between two marks. A test runs each of them.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Section } from '@/components/docs/docs-text';
import { languagesOf, type Snippet } from '@/components/docs/languages';

/** One text per language. `part`: the text between `[part]` and `[/part]`; by default the whole text without marks. */
export function readSnippet({ name, part, node }: NonNullable<Section['snippet']>): Promise<Snippet[]> {
  return Promise.all(
    languagesOf(name).map(async ({ id, title, extension }) => {
      const file = `${id === 'node' ? (node ?? name) : name}.${extension}`;
      const text = await readFile(path.join(process.cwd(), 'docs', 'snippets', file), 'utf8');
      return { id, title, text: part === undefined ? withoutMarks(text) : partOf(text, part) };
    }),
  );
}

const MARK = /^\s*(?:\/\/|#) \[\/?\w+\]\s*$/;

const withoutMarks = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !MARK.test(line))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

function partOf(text: string, part: string): string {
  const lines = text.split('\n');
  const [start, end] = [lines, lines].map((all, n) =>
    all.findIndex((line) => MARK.test(line) && line.includes(n === 0 ? `[${part}]` : `[/${part}]`)),
  );
  if (start === undefined || end === undefined || start < 0 || end < start)
    throw new Error(`no part ${part} in a snippet`);
  return lines
    .slice(start + 1, end)
    .join('\n')
    .trim();
}
