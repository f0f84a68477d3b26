// The check of row types, tried on made-up sources: a row type that claims something else than PostgreSQL returned is found.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryCalls, untypedReads } from './query-calls';
import { mayBeNull, sourcesOf, unrunStatements, valueType, wrongRowTypes } from './row-types';

const ROOT = path.join(import.meta.dirname, '../..');
const catalog = {
  constraints: [],
  types: {
    16: { name: 'bool', labels: null, element: 0 },
    20: { name: 'int8', labels: null, element: 0 },
    23: { name: 'int4', labels: null, element: 0 },
    25: { name: 'text', labels: null, element: 0 },
    99: { name: 'Status', labels: ['open', 'paid'], element: 0 },
    199: { name: '_Status', labels: null, element: 99 },
    1009: { name: '_text', labels: null, element: 25 },
    3802: { name: 'jsonb', labels: null, element: 0 },
    7: { name: 'box', labels: null, element: 0 },
  },
  columns: {
    '1.1': { name: 'note', table: 'orders', isNotNull: false },
    '1.2': { name: 'id', table: 'orders', isNotNull: true },
  },
};
const column = (of: object) => ({ name: 'id', type: 25, table: 1, attribute: 2, hasNull: false, ...of });

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'row-types-'));
fs.writeFileSync(
  path.join(scratch, 'tsconfig.json'),
  JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] } }),
);
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

type Case = readonly [name: string, row: string, columns: readonly object[]];

const RIGHT: readonly Case[] = [
  ['has the column and its type', '{ id: string }', [{}]],
  ['narrows a text to the values that the product writes', "{ id: 'a' | 'b' }", [{}]],
  ['holds an integer of 64 bits as text', '{ id: string }', [{ type: 20 }]],
  ['allows the nulls of a column', '{ id: string | null }', [{ attribute: 1 }]],
  ['has all labels of an enum', "{ id: 'open' | 'paid' }", [{ type: 99 }]],
  ['names only some of the columns', '{ id: string }', [{}, { name: 'note', attribute: 1 }]],
  ['gives JSON any type', '{ id: { a: number }[] }', [{ type: 3802 }]],
  ['has an array of texts', '{ id: string[] }', [{ type: 1009 }]],
  [
    'has the columns of a missing row as null',
    '{ id: null } | { id: string; note: string }',
    [{ hasNull: true }, { name: 'note', hasNull: true }],
  ],
];

const WRONG: readonly Case[] = [
  ['has another type', '{ id: number }', [{}]],
  ['takes an integer of 64 bits for a number', '{ id: number }', [{ type: 20 }]],
  ['has a column that the statement does not return', '{ id: string; total: string }', [{}]],
  ['leaves out the nulls that the schema allows', '{ id: string }', [{ attribute: 1 }]],
  ['leaves out a null that was returned', '{ id: string }', [{ hasNull: true }]],
  ['leaves out a label of an enum', "{ id: 'open' }", [{ type: 99 }]],
  ['takes for an array what the driver leaves as text', '{ id: string[] }', [{ type: 199 }]],
];

describe('a row type', () => {
  const cases = [...RIGHT, ...WRONG];
  /** One call of `query` a line, compiled once. */
  const source = cases.map(([, row]) => `db.query<${row}>('SELECT');`).join('\n');
  let faults: readonly string[];

  beforeAll(() => {
    fs.writeFileSync(
      path.join(scratch, 'orders.ts'),
      `${source}\ndeclare const db: { query<T>(text: string): T[] };\n`,
    );
    const statements = cases.map(([, , columns], n) => ({
      file: 'orders.ts',
      line: n + 1,
      text: 'SELECT',
      columns: columns.map(column),
    }));
    faults = wrongRowTypes(scratch, [{ catalog, statements }]);
  });

  const faultsOf = (name: string): string[] => {
    const line = cases.findIndex(([one]) => one === name) + 1;
    return faults.filter((one) => one.startsWith(`orders.ts(${line},`));
  };

  test.each(RIGHT)('that %s is accepted', (name) => {
    expect(faultsOf(name)).toEqual([]);
  });

  test.each(WRONG)('that %s is found', (name) => {
    expect(faultsOf(name)).toHaveLength(1);
  });
});

test('a row type is compared with each of the statements at its place', () => {
  fs.writeFileSync(
    path.join(scratch, 'orders.ts'),
    `declare const db: { query<T>(text: string): T[] };\ndb.query<{\n  id: string;\n}>('');\n`,
  );
  const statement = (of: object) => ({ file: 'orders.ts', line: 2, text: 'SELECT', columns: [column(of)] });
  expect(wrongRowTypes(scratch, [{ catalog, statements: [statement({}), statement({ type: 16 })] }])).toHaveLength(1);
});

test('a column that the statement requires not to be null is not', () => {
  const statement = (text: string) => ({ file: 'orders.ts', line: 1, text, columns: [] });
  expect(mayBeNull(catalog, column({ attribute: 1 }), statement('SELECT note FROM orders'))).toBe(true);
  expect(
    mayBeNull(catalog, column({ attribute: 1 }), statement('SELECT note FROM orders o WHERE o.note IS NOT NULL')),
  ).toBe(false);
  expect(mayBeNull(catalog, column({ attribute: 2 }), statement('SELECT id FROM orders'))).toBe(false);
});

test('a type without a rule is refused, not guessed', () => {
  expect(() => valueType(catalog, 7)).toThrow('box');
});

test('no statement’s rows are read without a row type', () => {
  expect(untypedReads("const { rows } = await db.query('x');\nconst { rowCount } = await db.query('y');")).toEqual([1]);
  const found = sourcesOf(ROOT).flatMap((file) =>
    untypedReads(fs.readFileSync(path.join(ROOT, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(found).toEqual([]);
});

test('calls are found with their lines, with and without a row type', () => {
  const source =
    "const { rows } = await db.query<A>('x');\nconst b =\n  db\n    .query('y');\ndb.other<A>();\n(await db.query('z')).rows;";
  expect(queryCalls(source)).toEqual([
    { line: 1, type: { start: 32, end: 33 }, readsRows: true },
    { line: 4, type: null, readsRows: false },
    { line: 6, type: null, readsRows: true },
  ]);
});

test('a statement that no test ran is found', () => {
  fs.mkdirSync(path.join(scratch, 'lib'));
  fs.writeFileSync(path.join(scratch, 'lib/a.ts'), "db.query<A>('x');\ndb.query<A>('y');\ndb.query('z');\n");
  const ran = { file: 'lib/a.ts', line: 1, text: 'x', columns: [] };
  expect(unrunStatements(scratch, [{ catalog, statements: [ran] }])).toEqual(['lib/a.ts:2']);
});
