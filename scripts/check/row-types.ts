// Compares the row types of the hand-written SQL statements with what PostgreSQL returned while the tests ran
// (testing/row-types/record.ts). The compiler does the comparing: in a copy of the source each `query<Row>` becomes
// `query<Checked<Row, Returned>>`. `Returned` comes from the real schema, and a row type that claims anything else does not compile.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { queryCalls } from './query-calls';

/** Columns that a CHECK constraint, not the column itself, keeps from being null in the rows that a file's statements select. */
const BY_CONSTRAINT: readonly { readonly file: string; readonly column: string; readonly constraint: string }[] = [
  ...['tip_number', 'tip_time', 'final_number', 'final_time', 'head_read_at'].map((column) => ({
    file: 'lib/installation/status/shared-heads.ts',
    column,
    constraint: 'endpoints_head_whole',
  })),
  { file: 'lib/ledger/reconciliation/balances/rows.ts', column: 'goal', constraint: 'balance_checks_rescan' },
  { file: 'lib/refunds/customer-address/from-claim-link.ts', column: 'claim_expires_at', constraint: 'refunds_claim' },
  { file: 'lib/refunds/sending/lease.ts', column: 'sign_after', constraint: 'refunds_processing' },
  { file: 'lib/refunds/rows.ts', column: 'sign_after', constraint: 'refunds_processing' },
];

/** PostgreSQL's types as the driver returns them. Enums and arrays are described by their own rows of the catalog. */
const VALUES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  float4: 'number',
  float8: 'number',
  int8: 'SqlText',
  numeric: 'SqlText',
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

/** A row may narrow a text, of which the schema says no more than that, and JSON. A union's columns are compared one by one. */
const CHECKED = `
declare global {
  type SqlText = { readonly text: true };
  type SqlJson = { readonly json: true };
  type SqlValue<V> =
    | V
    | SqlJson
    | (Extract<V, string> extends never ? never : SqlText)
    | (V extends readonly (infer E)[] ? readonly SqlValue<E>[] : never);
  type ColumnOf<Row> = Row extends unknown ? keyof Row : never;
  type ValueOf<Row, K> = Row extends unknown ? (K extends keyof Row ? Row[K] : null) : never;
  type SqlRow<Row> = { readonly [K in ColumnOf<Row>]: SqlValue<ValueOf<Row, K>> };
  type Checked<Row, Returned extends SqlRow<Row>> = Returned extends never ? never : Row;
}
export {};
`;

/** The compiler. */
const TSC = path.join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** What the check needs of the real schema. */
export type Catalog = {
  /** The names of the CHECK constraints. */
  readonly constraints: readonly string[];
  /** By OID: the type's name, the labels of an enum, and the OID of an array's elements. */
  readonly types: Readonly<
    Record<string, { readonly name: string; readonly labels: readonly string[] | null; readonly element: number }>
  >;
  /** By `table OID.attribute number`: the column's name and whether it is NOT NULL. */
  readonly columns: Readonly<
    Record<string, { readonly name: string; readonly table: string; readonly isNotNull: boolean }>
  >;
};

/** One column of a result: its name, its type's OID, and the table's column that it shows (0 for an expression). */
export type RecordedColumn = {
  readonly name: string;
  readonly type: number;
  readonly table: number;
  readonly attribute: number;
  hasNull: boolean;
};

/** One statement at one place of the source, for all its runs in one test file. */
export type RecordedStatement = {
  /** From the root, with slashes. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly columns: readonly RecordedColumn[];
};

/** One run of the tests, as recorded. */
export type Recording = { readonly catalog: Catalog; readonly statements: readonly RecordedStatement[] };

/** The recordings in a directory, one for each run. */
export const readRecordings = (directory: string): Recording[] =>
  fs.readdirSync(directory).map((run) => {
    const read = (name: string): string => fs.readFileSync(path.join(directory, run, name), 'utf8');
    const files = fs.readdirSync(path.join(directory, run)).filter((name) => name.endsWith('.jsonl'));
    const lines = files.flatMap((name) => read(name).split('\n').filter(Boolean));
    return {
      catalog: JSON.parse(read('catalog.json')) as Catalog,
      statements: lines.map((line) => JSON.parse(line) as RecordedStatement),
    };
  });

/** Row types that claim something else than PostgreSQL returned, as the compiler's messages. */
export function wrongRowTypes(root: string, recordings: readonly Recording[]): string[] {
  const copy = path.join(root, 'node_modules/.cache/row-types');
  fs.rmSync(copy, { recursive: true, force: true });
  fs.mkdirSync(copy, { recursive: true });
  for (const file of new Set(recordings.flatMap(({ statements }) => statements.map((one) => one.file)))) {
    let text = fs.readFileSync(path.join(root, file), 'utf8');
    for (const { catalog, statements } of recordings) {
      const here = statements.filter((one) => one.file === file);
      text = checkedSource(text, here, catalog);
    }
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    fs.writeFileSync(path.join(copy, file), text);
  }
  return compile(root, copy);
}

/** Calls with a row type whose statements no test ran, as `file:line`. */
export function unrunStatements(root: string, recordings: readonly Recording[]): string[] {
  const run = new Set(recordings.flatMap(({ statements }) => statements.map(({ file, line }) => `${file}:${line}`)));
  return sourcesOf(root).flatMap((file) =>
    queryCalls(fs.readFileSync(path.join(root, file), 'utf8'))
      .filter(({ type }) => type !== null)
      .map(({ line }) => `${file}:${line}`)
      .filter((place) => !run.has(place)),
  );
}

/** The product's files that may hold statements. */
export const sourcesOf = (root: string): string[] =>
  fs
    .readdirSync(path.join(root, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `lib/${file}`);

/** Constraints of BY_CONSTRAINT that the schema does not have. */
export const missingConstraints = ({ constraints }: Catalog): string[] =>
  BY_CONSTRAINT.map(({ constraint }) => constraint).filter((name) => !constraints.includes(name));

/** The source with its row types checked, on unchanged lines. */
function checkedSource(text: string, statements: readonly RecordedStatement[], catalog: Catalog): string {
  let checked = text;
  for (const { line, type } of queryCalls(text).toReversed()) {
    if (type === null) continue;
    const row = text.slice(type.start, type.end);
    const results = new Set(statements.filter((one) => one.line === line).map((one) => returned(catalog, one)));
    const nested = [...results].reduce((inner, result) => `Checked<${inner}, ${result}>`, row.replaceAll('\n', ' '));
    const lines = '\n'.repeat(row.split('\n').length - 1);
    checked = checked.slice(0, type.start) + nested + lines + checked.slice(type.end);
  }
  return checked;
}

const returned = (catalog: Catalog, statement: RecordedStatement): string =>
  `{ ${statement.columns
    .map(
      (one) => `'${one.name}': ${valueType(catalog, one.type)}${mayBeNull(catalog, one, statement) ? ' | null' : ''}`,
    )
    .join('; ')} }`;

/** TypeScript's type of a column's values, without null. Throws for a type that no row had so far. */
export function valueType(catalog: Catalog, oid: number): string {
  const type = catalog.types[oid];
  if (type?.labels) return type.labels.map((label) => `'${label}'`).join(' | ');
  const value = type && VALUES[type.name];
  if (value !== undefined) return value;
  const element = type?.name.startsWith('_') ? catalog.types[type.element] : undefined;
  // The driver parses arrays of PostgreSQL's own types only.
  if (element?.labels) return 'SqlText';
  if (element) return `readonly (${valueType(catalog, type?.element ?? 0)})[]`;
  throw new Error(`Say in VALUES what the driver makes of the type ${type?.name ?? oid}.`);
}

/** Whether a row may hold null there: one did, or the table's column allows it and nothing in the statement or schema excludes it. */
export function mayBeNull(catalog: Catalog, column: RecordedColumn, { file, text }: RecordedStatement): boolean {
  if (column.hasNull) return true;
  const source = catalog.columns[`${column.table}.${column.attribute}`];
  if (source === undefined || source.isNotNull) return false;
  if (BY_CONSTRAINT.some((one) => one.file === file && one.column === source.name)) return false;
  return !new RegExp(`\\b${source.name} IS NOT NULL`).test(text);
}

/** The compiler's errors about row types, each in one line. Other errors come from compiling a copy elsewhere. */
function compile(root: string, copy: string): string[] {
  fs.writeFileSync(path.join(copy, 'checked.d.ts'), CHECKED);
  const settings = {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: { rootDirs: [copy, root], incremental: false },
    include: [path.join(copy, '**/*.ts'), path.join(root, 'next-env.d.ts')],
    exclude: [],
  };
  fs.writeFileSync(path.join(copy, 'tsconfig.json'), JSON.stringify(settings));
  const { stdout } = spawnSync(process.execPath, [TSC, '--noEmit', '--pretty', 'false', '-p', copy], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .split(/\n(?=\S)/)
    .filter((one) => one.includes("'SqlRow<"))
    .map((one) => one.replaceAll(/\s+/g, ' ').trim());
}
