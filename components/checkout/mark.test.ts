import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MARK_KINDS } from './mark';

const css = fs.readFileSync(path.join(import.meta.dirname, '../../app/styles/outcome.css'), 'utf8');
const coloured = new Set([...css.matchAll(/\.outcome-(\w+)/g)].map(([, name]) => name));

test('every state in the stylesheet is one that the page shows', () => {
  coloured.delete('sum'); // The amount, in every state.
  expect([...coloured].filter((name) => !MARK_KINDS.includes(name as never))).toEqual([]);
});

test('a state that needs attention has a colour of its own', () => {
  expect(MARK_KINDS.filter((kind) => !coloured.has(kind))).toEqual(['time', 'canceled']);
});
