// Finds the tables and columns that a program writes. It bundles the sources without unreachable code and parses the
// SQL texts. The result has every possible write and a few impossible ones: unused constants with placeholders stay in
// a bundle.

import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '../..');
const NAME = '"?([a-z_]+)"?';
const INSERT = new RegExp(`\\bINSERT INTO ${NAME}(?: AS \\w+)?\\s*\\(([^)]*)\\)`, 'g');
const UPDATE = new RegExp(`\\bUPDATE ${NAME}(?: (?:AS )?(?!SET)\\w+)?\\s+SET\\s`, 'g');
const DELETE = new RegExp(`\\bDELETE FROM ${NAME}`, 'g');
const CONFLICT = /^[\s\S]*?\bON CONFLICT\b[^;]*?\bDO UPDATE\s+SET\s/;
/** An INSERT's own ON CONFLICT comes before the next statement of a WITH. */
const NEXT_STATEMENT = /\b(?:INSERT INTO|DELETE FROM|UPDATE [a-z_]+(?: \w+)? SET)\b/;

/**
 * The writes that these sources can make, one for each statement, with the named columns.
 * @param {string[]} entryPoints
 * @param {{ without?: RegExp }} [options] modules to leave out with all that only they reach
 * @returns {Promise<{ file: string, table: string, insert: string[], update: string[], delete?: boolean }[]>}
 */
export async function writesOf(entryPoints, { without = /^$/ } = {}) {
  const leaveOut = {
    name: 'leave-out',
    setup: (on) => on.onResolve({ filter: without }, ({ path: name }) => ({ path: name, external: true })),
  };
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: 'none',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    conditions: ['react-server'],
    jsx: 'automatic',
    loader: { '.css': 'empty', '.png': 'empty' },
    logLevel: 'error',
    plugins: [leaveOut],
  });
  return outputFiles.flatMap(({ text }) => modulesOf(text)).flatMap(({ file, text }) => readWrites(file, text));
}

/** esbuild writes each module's path above it. */
function modulesOf(text) {
  const parts = text.split(/^\/\/ (\S+\.tsx?)$/m);
  return parts.flatMap((file, index) => (index % 2 === 1 ? [{ file, text: parts[index + 1] ?? '' }] : []));
}

export function readWrites(file, text) {
  const found = [];
  for (const match of text.matchAll(INSERT)) {
    const rest = text.slice(match.index + match[0].length);
    const own = rest.slice(0, endOf(rest, text[match.index - 1] === '"' ? '"' : '`'));
    const conflict = CONFLICT.exec(own);
    found.push({
      file,
      table: match[1],
      insert: match[2].split(',').map(columnName),
      update: conflict ? assigned(own.slice(conflict[0].length)) : [],
    });
  }
  for (const match of text.matchAll(UPDATE)) {
    found.push({ file, table: match[1], insert: [], update: assigned(text.slice(match.index + match[0].length)) });
  }
  for (const match of text.matchAll(DELETE))
    found.push({ file, table: match[1], insert: [], update: [], delete: true });
  return found;
}

/** The end of a statement: at its closing quote, or where the next one begins. */
function endOf(text, quote) {
  const ends = [text.indexOf(quote), text.search(NEXT_STATEMENT)].filter((at) => at >= 0);
  return Math.min(...ends, text.length);
}

/** The columns of `a = 1, b = f(c, d) FROM …`: the text before each equals sign at the list's own depth. */
function assigned(text) {
  const columns = [];
  let depth = 0;
  let cases = 0;
  for (let at = 0, start = true; at < text.length; at++) {
    const rest = text.slice(at);
    const word = /^\w+/.exec(rest)?.[0];
    if (word) {
      if (depth === 0 && cases === 0 && /^(?:FROM|WHERE|RETURNING)$/.test(word)) break;
      if (word === 'CASE') cases++;
      if (word === 'END') cases--;
      if (start && /^\w+"? = /.test(rest)) columns.push(word);
      start = false;
      at += word.length - 1;
      continue;
    }
    const sign = text[at];
    if (sign === '`' || sign === ';' || (depth === 0 && sign === ')')) break;
    if (sign === '(' || sign === '{') depth++;
    if (sign === ')' || sign === '}') depth--;
    if (sign === ',' && depth === 0 && cases === 0) start = true;
  }
  return columns;
}

const columnName = (text) => text.trim().replaceAll('"', '');
