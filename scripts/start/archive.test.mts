// An archive is new, whole and readable by its owner alone.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeArchive } from './archive.mjs';

test('writes files with folders, refuses to replace a file, and leaves nothing outside', () => {
  const directory = fs.mkdtempSync('/tmp/stabletill-archived-');
  const file = path.join(directory, 'a.tar.gz');
  writeArchive(file, { 'one.json': '{}\n', 'logs/two.log': 'two\n' });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n')).toEqual([
    'one.json',
    'logs/two.log',
  ]);
  expect(execFileSync('tar', ['-xOzf', file, 'logs/two.log'], { encoding: 'utf8' })).toBe('two\n');
  expect(() => writeArchive(file, { x: '' })).toThrow(/EEXIST/);
  expect(() => writeArchive(path.join(directory, 'b.tar.gz'), { '../x': '' })).toThrow(/no name of a file/);
  fs.rmSync(directory, { recursive: true, force: true });
});
