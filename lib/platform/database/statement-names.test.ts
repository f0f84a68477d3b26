// PostgreSQL's driver refuses a named statement on a connection that has another one by that name. Any two statements of a
// process may share a connection, so names must be unique.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const LIB = path.join(import.meta.dirname, '../..');
const NAMED = /\bname: '([a-z0-9_-]+)',\s*(?:\/\/[^\n]*\n\s*)*(?:text|move):/g;

test('no two statements share a name', () => {
  const files = fs.readdirSync(LIB, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const names = sources.flatMap((file) => {
    const text = fs.readFileSync(path.join(LIB, file), 'utf8');
    return [...text.matchAll(NAMED)].map(([, name]) => name);
  });
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
