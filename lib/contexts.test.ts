// The first page of each context: what it owns, its folders, and who may import from it. The last two are held against the
// tree and the table of imports, so that they cannot go stale.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LIB_EDGES } from '@/scripts/check/library-edges';

const CONTEXTS = fs
  .readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => name);

const contextOf = (name: string): string => name.split('/')[0] ?? name;

/** The contexts that the table lets import from a context. Code outside lib may import from every context. */
function importersOf(context: string): readonly string[] {
  const importers = Object.entries(LIB_EDGES)
    .filter(([, targets]) => targets.some((target) => contextOf(target) === context))
    .map(([room]) => contextOf(room));
  return [...new Set(importers)].filter((one) => one !== context).toSorted();
}

/** The line that the README of a context ends with. */
function importedBy(context: string): string {
  if (context === 'platform') return 'Every context may import from here.';
  const importers = importersOf(context);
  if (importers.length === 0) return 'No other context may import from here.';
  return `May be imported by ${importers.map((one) => `\`${one}\``).join(', ')} (\`scripts/check/library-edges.ts\`).`;
}

test.each(CONTEXTS)('the README of %s names its folders and who may import from it', (context) => {
  const folder = path.join(import.meta.dirname, context);
  const text = fs.readFileSync(path.join(folder, 'README.md'), 'utf8');
  const folders = fs.readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
  expect([...text.matchAll(/^- `([a-z0-9-]+)\/`: /gm)].map(([, name = '']) => name).toSorted()).toEqual(
    folders.map(({ name }) => name).toSorted(),
  );
  expect(text.trimEnd().split('\n').at(-1)).toBe(importedBy(context));
});
