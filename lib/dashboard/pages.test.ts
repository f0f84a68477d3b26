// Every page of the dashboard and of the operator's desk asks who looks before it does anything else, and asks it itself: no
// page relies on a layout or on proxy.ts, which decides nothing (hardening N-02).

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readTree } from '@/scripts/check/source-tree';

const ROOT = path.join(import.meta.dirname, '../..');
const tree = readTree(ROOT, ['app', 'lib', 'components', 'proxy.ts']);
const pages = tree
  .map((one) => one.path)
  .filter((file) => /^app\/(dashboard|operator)\/(.*\/)?(page|default|route)\.tsx?$/.test(file));
const textOf = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

test('N-02: the pages were found', () => {
  expect(pages.length).toBeGreaterThan(25);
});

test.each(pages)('N-02: the first thing that %s does is to ask who looks', (file) => {
  const [, first = ''] = /export default async function \w+\([^]*?\) \{\s+([^\n]+)/.exec(textOf(file)) ?? [];
  expect(first).toMatch(/^(const \{[^}]*\} = )?await require(Store)?Page\(.*'[a-z.]+'.*\);$/);
});

test.each(pages)('N-02: what %s is called tells nothing of what it shows', (file) => {
  const [told = ''] = /export (async function|const) (generateM|m)etadata\b[^]*?\n\}/.exec(textOf(file)) ?? [];
  expect(told).not.toMatch(/context|services|pool|params|read[A-Z]|list[A-Z]/);
});

test('N-02: nothing that decides is reached by proxy.ts, and nothing imports it', () => {
  const reached = new Set<string>();
  const walk = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const one of tree.find((source) => source.path === file)?.imports ?? [])
      if (one.file !== null && !one.typeOnly) walk(one.file);
  };
  walk('proxy.ts');
  const decides = /^lib\/(accounts\/(?!return-path)|dashboard\/|members\/|auth\/|api\/)/;
  expect([...reached].filter((file) => decides.test(file))).toEqual([]);
  expect(tree.filter(({ imports }) => imports.some(({ file }) => file === 'proxy.ts'))).toEqual([]);
});
