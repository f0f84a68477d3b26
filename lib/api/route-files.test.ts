// The route files below app/ are the endpoints, and the tables have their operations. Both are compared here, so that neither lists
// a path that the other does not have.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PUBLIC_OPERATIONS } from './public/operations';
import { ROUTES, withoutLastSlash } from './routes';

const APP = path.join(import.meta.dirname, '../../app');
const EVERY_METHOD = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

type RouteFile = { readonly path: string; readonly text: string };

const files: readonly RouteFile[] = fs
  .readdirSync(APP, { recursive: true, encoding: 'utf8' })
  .filter((file) => path.basename(file) === 'route.ts')
  .map((file) => ({
    path: `/${path.dirname(file)}`.replaceAll('[', '{').replaceAll(']', '}'),
    text: fs.readFileSync(path.join(APP, file), 'utf8'),
  }));

const calls = ({ text }: RouteFile, name: string): boolean => text.includes(`= ${name}(`);
const exported = ({ text }: RouteFile): string[] =>
  (/export const \{([^}]*)\}/.exec(text)?.[1] ?? '').split(',').map((name) => name.trim());

const signed = files.filter((file) => calls(file, 'endpoint'));
const publicOnes = files.filter((file) => calls(file, 'publicEndpoint'));

test('every path of the signed API has a route file, and every route file an operation', () => {
  const paths = [...new Set(ROUTES.map((route) => withoutLastSlash(route.path)))];
  expect(signed.map((file) => file.path).toSorted()).toEqual(paths.toSorted());
});

test('every public operation has a route file, and every such file an operation', () => {
  const paths = PUBLIC_OPERATIONS.map((operation) => operation.path);
  expect(publicOnes.map((file) => file.path).toSorted()).toEqual(paths.toSorted());
});

test('a route file names the path of its own folder and does nothing else', () => {
  for (const { path: own, text } of [...signed, ...publicOnes]) {
    const statements = text
      .replaceAll(/\s+/g, ' ')
      .split(/;\s*/)
      .filter((one) => one !== '');
    const named = /\b(?:endpoint|publicEndpoint)\( ?'([^']*)',? ?\)$/.exec(statements.at(-1) ?? '')?.[1];
    expect([own, named]).toEqual([own, own]);
    expect(text.match(/\b(?:endpoint|publicEndpoint)\(/g)).toHaveLength(1);
    expect(text.split('\n').length).toBeLessThan(12);
  }
});

test('every method is answered by the operation, unless it accepts GET only', () => {
  for (const file of [...signed, ...files.filter((one) => calls(one, 'noEndpoint'))])
    expect([file.path, exported(file)]).toEqual([file.path, EVERY_METHOD]);
  for (const file of publicOnes) {
    const operation = PUBLIC_OPERATIONS.find((one) => one.path === file.path);
    expect([file.path, exported(file)]).toEqual([file.path, operation?.method === 'GET' ? ['GET'] : EVERY_METHOD]);
  }
});

test('the paths without a route file are answered as the API answers unknown paths', () => {
  const rest = files.filter((file) => calls(file, 'noEndpoint')).map((file) => file.path);
  expect(rest.toSorted()).toEqual(['/api/{{...path}}', '/v1/{{...path}}']);
});

test('below the folders of the API no other route file exists', () => {
  const inside = files.filter(
    (file) => /^\/(api|v1)(\/|$)/.test(file.path) && !/^\/api\/(auth|dashboard)\//.test(file.path),
  );
  const known = inside.filter((file) => ['endpoint', 'publicEndpoint', 'noEndpoint'].some((name) => calls(file, name)));
  expect(inside).toEqual(known);
});
