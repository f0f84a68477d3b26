// No button sends a request that the server does not have. Compares the paths in the sources of the dashboard and the
// operator console with the dashboard's table of requests.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROUTES } from '@/lib/dashboard/routes';

const FOLDERS = ['components/dashboard', 'components/operator', 'components/ui', 'app/dashboard', 'app/operator'];

type PageRequest = { readonly file: string; readonly method: string; readonly path: string };

/** `api.post('/a')`, with or without a type. */
const CALL = /\bapi\.(post|get|patch)(?:<[^>(]*>)?\(\s*(['"`])([^'"`]+)\2/g;
/** `path="/a"`, path={`/a`}, `path: '/a'`: parts that post to a given path. */
const GIVEN = /(?<!const \w+ = \{ )\bpath(?:=\{?|:\s*)(['"`])((?:\/|\$\{)[^'"`]*)\1/g;
/** const path = `/a`; and const about = { path: `/a` … } */
const NAMED = /const (\w+) = (?:\{ path: )?`([^`]+)`/g;

function requestsIn(file: string): PageRequest[] {
  const source = fs.readFileSync(file, 'utf8');
  const named = new Map(Array.from(source.matchAll(NAMED), ([, name, value]) => [name as string, value as string]));
  const whole = (text: string): string =>
    text
      .replace(/^\$\{(\w+)(?:\.path)?\}/, (kept, name: string) => named.get(name) ?? kept)
      .replaceAll(/\$\{[^}]*\}/g, '{}');
  const calls = Array.from(source.matchAll(CALL), ([, method = '', , at = '']) => ({ method, path: whole(at) }));
  const given = Array.from(source.matchAll(GIVEN), ([, , at = '']) => ({ method: 'post', path: whole(at) }));
  return [...calls, ...given].map((one) => ({ ...one, file, method: one.method.toUpperCase() }));
}

const sources = FOLDERS.flatMap((folder) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => path.join(folder, name)),
);
const requests = sources.flatMap(requestsIn);
const known = new Set(
  ROUTES.map(({ method, path: at }) => `${method} ${at.replace('/api/dashboard', '').replaceAll(/\{\w+\}/g, '{}')}`),
);

test('finds the requests of the pages', () => {
  expect(requests.length).toBeGreaterThan(40);
});

test('the server has a route for every request that a page sends', () => {
  const astray = requests
    .filter(({ method, path: at }) => !known.has(`${method} ${at}`) && !known.has(`GET ${at}`))
    // The page that uses the part gives the beginning of such a path.
    .filter(
      ({ method, path: at }) =>
        !(at.startsWith('{}/') && [...known].some((one) => one.startsWith(method) && one.endsWith(at.slice(2)))),
    )
    .map(({ file, method, path: at }) => `${file}: ${method} ${at}`);
  expect(astray).toEqual([]);
});
