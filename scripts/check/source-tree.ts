// Reads TypeScript and JavaScript files with a real parser (the one inside oxlint) into the facts that the architecture
// rules need. They are the imports of a file, its use of clocks and settings, and its form.

import fs from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export type Import = {
  /** As written. */
  readonly specifier: string;
  /** The imported file as a path from the root when it is ours; else null. */
  readonly file: string | null;
  /** The imported package when it is not ours; else null. Node's own modules are written `node:x`. */
  readonly package: string | null;
  readonly typeOnly: boolean;
  /** Loaded when its line runs: `await import(…)`. */
  readonly isLazy: boolean;
};

/** An action that only named files may perform. */
type Use = { readonly what: 'settings' | 'clock' | 'html'; readonly line: number };

export type Source = {
  /** From the root, with slashes. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly uses: readonly Use[];
  /** Directives such as `use client`, wherever they stand. */
  readonly directives: readonly string[];
  readonly beginsWithComment: boolean;
  readonly exportsAll: boolean;
  readonly onlyReexports: boolean;
  /** Text of `export const runtime = '…'`, or null. */
  readonly runtime: string | null;
  /** Names of the object properties written in the file. */
  readonly propertyNames: ReadonlySet<string>;
};

const CODE = /\.(ts|tsx|mts|mjs|js)$/;
const SKIPPED = new Set(['node_modules', 'generated', '.next', 'dist', '.data', '.git', 'test-results']);

/** Every source file below the given folders and files of the root. */
export function readTree(root: string, places: readonly string[]): Source[] {
  const texts = new Map<string, string>();
  for (const place of places) {
    for (const file of filesAt(path.join(root, place))) {
      texts.set(path.relative(root, file).split(path.sep).join('/'), fs.readFileSync(file, 'utf8'));
    }
  }
  return parseTree(texts);
}

function filesAt(place: string): string[] {
  const found = fs.statSync(place, { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return CODE.test(place) ? [place] : [];
  return fs.readdirSync(place).flatMap((name) => (SKIPPED.has(name) ? [] : filesAt(path.join(place, name))));
}

/** Builds the same tree from texts by path, so that tests can try the rules on an invented tree. */
export function parseTree(texts: ReadonlyMap<string, string>): Source[] {
  return [...texts].map(([file, text]) => parse(file, text, (target) => resolveFile(target, texts)));
}

/** Generated and data files are not sources, but imports of them count; so an unknown target stays as written. */
function resolveFile(target: string, texts: ReadonlyMap<string, string>): string {
  const endings = ['', '.ts', '.tsx', '.mts', '.mjs', '/index.ts', '/index.tsx'];
  const found = endings.find((ending) => texts.has(target + ending));
  return found === undefined ? target : target + found;
}

function parse(file: string, text: string, resolve: (target: string) => string): Source {
  const { program, module, comments, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const imports: Import[] = [];
  const uses: Use[] = [];
  const directives: string[] = [];
  const propertyNames = new Set<string>();
  let runtime: string | null = null;
  const use = (what: Use['what'], at: number) => uses.push({ what, line: lineAt(text, at) });
  const add = (specifier: string, typeOnly: boolean, isLazy = false) =>
    imports.push({ ...importOf(file, specifier, resolve), typeOnly, isLazy });

  new Visitor({
    ImportDeclaration(node) {
      const named = node.specifiers;
      const types =
        named.length > 0 && named.every((one) => one.type === 'ImportSpecifier' && one.importKind === 'type');
      add(node.source.value, node.importKind === 'type' || types);
      if (/^(node:)?process$/.test(node.source.value)) use('settings', node.start);
    },
    ExportNamedDeclaration(node) {
      if (node.source) add(node.source.value, node.exportKind === 'type');
    },
    ExportAllDeclaration: (node) => void add(node.source.value, node.exportKind === 'type'),
    ImportExpression(node) {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string') add(node.source.value, false, true);
    },
    TSImportType: (node) => void add(node.source.value, true),
    MemberExpression(node) {
      const name = node.property.type === 'Identifier' ? node.property.name : null;
      if (node.object.type === 'Identifier' && node.object.name === 'process' && (name === 'env' || node.computed)) {
        use('settings', node.start);
      }
      if (node.object.type === 'MetaProperty' && name === 'env') use('settings', node.start);
      if (node.object.type === 'Identifier' && node.object.name === 'Date' && name === 'now') use('clock', node.start);
    },
    VariableDeclarator(node) {
      if (node.init?.type === 'Identifier' && node.init.name === 'process') use('settings', node.start);
      if (node.id.type === 'Identifier' && node.id.name === 'runtime' && node.init?.type === 'Literal') {
        runtime = String(node.init.value);
      }
    },
    NewExpression(node) {
      const isDate = node.callee.type === 'Identifier' && node.callee.name === 'Date';
      if (isDate && node.arguments.length === 0) use('clock', node.start);
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'Date') use('clock', node.start);
    },
    ExpressionStatement(node) {
      if ('directive' in node && typeof node.directive === 'string') directives.push(node.directive);
    },
    Property(node) {
      if (node.key.type === 'Identifier') propertyNames.add(node.key.name);
    },
    JSXAttribute(node) {
      if (node.name.type === 'JSXIdentifier' && node.name.name === 'dangerouslySetInnerHTML') use('html', node.start);
    },
  }).visit(program);

  const first = program.body.find((node) => !('directive' in node));
  const from = module.staticExports.flatMap((one) => one.entries);
  return {
    path: file,
    lines: text.trimEnd().split('\n').length,
    imports,
    uses,
    directives,
    beginsWithComment: comments.some((one) => one.start < (first?.start ?? text.length)),
    exportsAll: from.some((one) => one.importName.name === null && one.moduleRequest !== null),
    onlyReexports:
      from.length > 0 && program.body.every((node) => isReexport(node) || node.type === 'ImportDeclaration'),
    runtime,
    propertyNames,
  };
}

const isReexport = (node: { type: string; declaration?: unknown }): boolean =>
  node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && !node.declaration);

function importOf(
  from: string,
  specifier: string,
  resolve: (target: string) => string,
): Pick<Import, 'specifier' | 'file' | 'package'> {
  const local = specifier.startsWith('@/')
    ? specifier.slice(2)
    : specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(from), specifier)
      : null;
  if (local !== null) return { specifier, file: resolve(local), package: null };
  const parts = specifier.split('/');
  const name = specifier.startsWith('node:') ? specifier : parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  return { specifier, file: null, package: name };
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
