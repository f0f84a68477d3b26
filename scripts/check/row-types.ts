// Compares the row types of the hand-written SQL statements with what PostgreSQL returned while the tests ran
// (testing/row-types/record.ts). The compiler compares: each `query<Row>` of a copy of the source becomes `query<Checked<Row, Returned>>`,
// where `Returned` is generated from the real schema, and a row type that claims anything else does not compile.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import type { Catalog } from '@/testing/row-types/catalog';
import type { RecordedColumn, RecordedStatement } from '@/testing/row-types/record';

/** A `query` call of the source. `type` is the span of its row type, or null when it has none. */
export type QueryCall = {
  readonly line: number;
  readonly type: { readonly start: number; readonly end: number } | null;
};

/** The `query` calls of a source text, in its order. */
export function queryCalls(file: string, text: string): QueryCall[] {
  const calls: QueryCall[] = [];
  new Visitor({
    CallExpression(node) {
      const { callee, typeArguments } = node;
      if (
        callee.type !== 'MemberExpression' ||
        callee.property.type !== 'Identifier' ||
        callee.property.name !== 'query'
      )
        return;
      const [type] = typeArguments?.params ?? [];
      calls.push({
        line: text.slice(0, callee.property.start).split('\n').length,
        type: type ? { start: type.start, end: type.end } : null,
      });
    },
  }).visit(parseSync(file, text).program);
  return calls;
}

/** PostgreSQL's types as node-postgres returns them. An enum or array is described by its own row of the catalog. */
const VALUES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  float4: 'number',
  float8: 'number',
  int8: 'SqlDigits',
  numeric: 'SqlDigits',
  text: 'SqlText',
  varchar: 'SqlText',
  bpchar: 'SqlText',
  name: 'SqlText',
  uuid: 'SqlText',
  timestamptz: 'Date',
  timestamp: 'Date',
  bytea: 'Buffer',
  json: 'SqlJson',
  jsonb: 'SqlJson',
  void: 'SqlJson',
};

/** TypeScript's type of a column's values, without null. Throws for a type that no row of the product has had so far. */
export function valueType(catalog: Catalog, oid: number): string {
  const type = catalog.types[oid];
  if (type?.labels) return type.labels.map((label) => `'${label}'`).join(' | ');
  const value = type && VALUES[type.name];
  if (value !== undefined) return value;
  // The driver does not parse arrays of the schema's own enums.
  const element = type?.name.startsWith('_') ? catalog.types[type.element] : undefined;
  if (element?.labels) return 'SqlText';
  if (element) return `readonly (${valueType(catalog, type?.element ?? 0)})[]`;
  throw new Error(`Say in VALUES what the driver makes of the type ${type?.name ?? oid}.`);
}

/** Whether a row may hold null there: one did, or the table's column allows it and the statement does not exclude it. */
export function mayBeNull(catalog: Catalog, column: RecordedColumn, text: string): boolean {
  if (column.hasNull) return true;
  const source = catalog.columns[`${column.table}.${column.attribute}`];
  return source !== undefined && !source.isNotNull && !new RegExp(`\\b${source.name} IS NOT NULL`).test(text);
}

const returned = (catalog: Catalog, { columns, text }: RecordedStatement): string =>
  `{ ${columns
    .map((one) => `'${one.name}': ${valueType(catalog, one.type)}${mayBeNull(catalog, one, text) ? ' | null' : ''}`)
    .join('; ')} }`;

/** The types that a copy of the source refers to. A row may narrow a text, as the schema says no more than "text". */
export const CHECKED = `
declare global {
  type SqlText = { readonly text: true };
  type SqlDigits = { readonly digits: true };
  type SqlJson = { readonly json: true };
  type SqlValue<V> =
    | V
    | SqlJson
    | (Extract<V, string> extends never ? never : SqlText | SqlDigits)
    | (V extends readonly (infer E)[] ? readonly SqlValue<E>[] : never);
  type SqlRow<Row> = { readonly [K in keyof Row]-?: SqlValue<Row[K]> };
  type Checked<Row, Returned extends SqlRow<Row>> = Returned extends never ? never : Row;
}
export {};
`;

/** The source with its row types checked, on unchanged lines. */
export function checkedSource(
  file: string,
  text: string,
  statements: readonly RecordedStatement[],
  catalog: Catalog,
): string {
  const edits = queryCalls(file, text).flatMap(({ line, type }) => {
    const here =
      type === null
        ? []
        : [...new Set(statements.filter((one) => one.line === line).map((one) => returned(catalog, one)))];
    return type === null || here.length === 0 ? [] : [{ ...type, row: text.slice(type.start, type.end), here }];
  });
  let checked = text;
  for (const { start, end, row, here } of edits.reverse()) {
    const type = here.reduce((inner, one) => `Checked<${inner}, ${one}>`, row);
    checked =
      checked.slice(0, start) +
      type.replaceAll('\n', ' ') +
      '\n'.repeat(row.split('\n').length - 1) +
      checked.slice(end);
  }
  return checked;
}

/** One run of the tests, as recorded. */
export type Recording = { readonly catalog: Catalog; readonly statements: readonly RecordedStatement[] };

/** The recordings in ROW_TYPES_DIR, one for each run. */
export const readRecordings = (whole: string): Recording[] =>
  fs.readdirSync(whole).map((run) => {
    const files = fs.readdirSync(path.join(whole, run)).filter((name) => name.endsWith('.jsonl'));
    const read = (name: string): string => fs.readFileSync(path.join(whole, run, name), 'utf8');
    const lines = files.flatMap((name) => read(name).split('\n').filter(Boolean));
    return {
      catalog: JSON.parse(read('catalog.json')) as Catalog,
      statements: lines.map((line) => JSON.parse(line) as RecordedStatement),
    };
  });

/** Row types that do not say what PostgreSQL returns, as `file:line: what the compiler says`. */
export function wrongRowTypes(root: string, recordings: readonly Recording[]): string[] {
  const copy = path.join(root, 'node_modules/.cache/row-types');
  fs.rmSync(copy, { recursive: true, force: true });
  const files = new Set(recordings.flatMap(({ statements }) => statements.map(({ file }) => file)));
  for (const file of files) {
    let text = fs.readFileSync(path.join(root, file), 'utf8');
    for (const { catalog, statements } of recordings)
      text = checkedSource(
        file,
        text,
        statements.filter((one) => one.file === file),
        catalog,
      );
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    fs.writeFileSync(path.join(copy, file), text);
  }
  fs.writeFileSync(path.join(copy, 'checked.d.ts'), CHECKED);
  const settings = {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: {
      rootDirs: [copy, root],
      incremental: false,
      typeRoots: [path.join(root, 'node_modules/@types')],
    },
    include: [path.join(copy, '**/*.ts'), path.join(root, 'next-env.d.ts')],
    exclude: [],
  };
  fs.writeFileSync(path.join(copy, 'tsconfig.json'), JSON.stringify(settings));
  const { stdout } = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--pretty', 'false', '-p', copy],
    {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return errorsOf(stdout);
}

/** The compiler's errors about row types with their explanations, each in one line. Other errors are those of moving files to a copy. */
const errorsOf = (output: string): string[] =>
  output
    .split(/\n(?=\S)/)
    .filter((one) => one.includes("'SqlRow<"))
    .map((one) => one.replaceAll(/\s+/g, ' ').trim());
