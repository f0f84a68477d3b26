// PostgreSQL's driver refuses a named statement on a connection that knows another one by that name, and any two of a process
// may meet on one connection: so no name is given twice.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const LIB = path.join(import.meta.dirname, '../..');
const NAMED = /\bname: '([a-z0-9_-]+)',\s*(?:\/\/[^\n]*\n\s*)*text:/g;

test('no two statements have one name', () => {
  const files = fs.readdirSync(LIB, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const names = sources.flatMap((file) => {
    const text = fs.readFileSync(path.join(LIB, file), 'utf8');
    return [...text.matchAll(NAMED)].map(([, name]) => name);
  });
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
