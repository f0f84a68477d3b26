// The two commands of the README begin in a checkout without packages, which they install. So what they load at first imports none.

import fs from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

const scripts = path.join(import.meta.dirname, '..');

/** The packages that a file imports when it is loaded, itself or through the files that it imports, each with the importing file. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const { module } = parseSync(file, fs.readFileSync(file, 'utf8'));
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((one) => one.moduleRequest?.value ?? [])),
  ];
  return names
    .filter((name) => !name.startsWith('node:'))
    .flatMap((name) =>
      name.startsWith('.')
        ? packagesOf(path.resolve(path.dirname(file), name), seen)
        : [`${path.relative(scripts, file)}: ${name}`],
    );
}

test.each(['start.mjs', 'start/main.mjs', 'test.mjs'])('%s loads no package', (name) => {
  const seen = new Set<string>();
  expect(packagesOf(path.join(scripts, name), seen)).toEqual([]);
  expect(seen.size).toBeGreaterThan(0);
});

test('a package that is imported is found', () => {
  expect(packagesOf(path.join(scripts, 'database-roles/apply.mjs'))).toContainEqual(expect.stringMatching(/: pg$/));
});
