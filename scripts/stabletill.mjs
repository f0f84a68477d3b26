#!/usr/bin/env node
// The operator's command line: `stabletill COMMAND` in the image, `npx stabletill COMMAND` in the repository. Each module of
// scripts/stabletill that exports a `command` is one. A failure is one sentence; LOG_LEVEL=debug adds the stack.

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readSecretFiles } from '../lib/platform/config/secret-files.mjs';
import { WrongUsage } from './start/refusal.mjs';

const COMMANDS = path.join(import.meta.dirname, 'stabletill');
/** The exit codes of every command. Few have more, which their usage says. */
const FAILED = 1;
const WRONG_USAGE = 2;
const CODES = 'Exit codes: 0 done, 1 found something wrong or could not do it, 2 wrong usage.';
/** A longer way from a word to a command is no mistyping. */
const MAX_TYPOS = 2;

/**
 * @typedef {{ print: (line: string) => void, note: (line: string) => void }} Output `note` writes to the standard error.
 * @typedef {{
 *   name: string,
 *   summary: string,
 *   usage: string,
 *   options?: Record<string, string>,
 *   isJsonless?: boolean,
 *   run: (words: string[], output: Output) => number | Promise<number>,
 * }} Command `run` returns the exit code. `options` describes those of the command line by name. A command that lists `--json` there gets
 * the word and prints one JSON object; the frame does it for the others. `isJsonless`: it talks to a person at a terminal.
 */

/**
 * Runs one command line and returns its exit code.
 * @param {string[]} words
 * @param {Output} output
 */
export async function runStabletill(words, output, directory = COMMANDS) {
  const commands = await commandsIn(directory);
  const [name, ...rest] = words[0] === 'help' ? [...words.slice(1, 2), '--help'] : words;
  if (name === '--version') return printed(output.print, versionText());
  if (name === undefined || name === '--help' || name === '-h') {
    (name === undefined ? output.note : output.print)(overview(commands));
    return name === undefined ? WRONG_USAGE : 0;
  }
  const command = commands.find((one) => one.name === name);
  if (!command) return unknown(name, commands, output);
  if (rest.includes('--help') || rest.includes('-h')) return printed(output.print, helpOf(command));
  try {
    const code = await runCommand(command, rest, output);
    if (code === WRONG_USAGE) output.note(helpOf(command));
    return code;
  } catch (error) {
    return failed(error, command, output);
  }
}

/** @returns {Promise<Command[]>} */
async function commandsIn(directory) {
  const files = fs.readdirSync(directory).filter((file) => file.endsWith('.mjs'));
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(directory, file)).href)));
  return modules.flatMap(({ command }) => command ?? []).toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Prints one JSON object around the lines of a command that has no JSON of its own. */
async function runCommand(command, words, output) {
  const isJson = words.includes('--json');
  if (!isJson || command.options?.['--json']) return command.run(words, output);
  if (command.isJsonless) throw new WrongUsage(`"${command.name}" talks to a person at a terminal: it has no --json.`);
  const lines = [];
  const own = words.filter((word) => word !== '--json');
  const code = await command.run(own, { ...output, print: (line) => lines.push(line) });
  if (code !== WRONG_USAGE) output.print(JSON.stringify({ exit_code: code, lines }, null, 2));
  return code;
}

function failed(error, command, { note }) {
  if (error instanceof WrongUsage) {
    if (error.message !== '') note(`${error.message}\n`);
    note(helpOf(command));
    return WRONG_USAGE;
  }
  const isDebug = process.env.LOG_LEVEL === 'debug' || process.env.LOG_LEVEL === 'trace';
  note(error instanceof Error ? (isDebug && error.stack) || sentenceOf(error) : String(error));
  return FAILED;
}

/** A failed connection to several addresses has an empty message. */
const sentenceOf = ({ message, code, name }) => message || code || name;

function unknown(name, commands, { note }) {
  const near = commands.filter((one) => typosBetween(one.name, name) <= MAX_TYPOS || one.name.startsWith(name));
  const hint = near.length > 0 ? ` Did you mean ${near.map((one) => one.name).join(' or ')}?` : '';
  note(`There is no command "${name}".${hint} "stabletill --help" lists them all.`);
  return WRONG_USAGE;
}

/** The number of characters to insert, delete or replace (Levenshtein). */
function typosBetween(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [down, character] of [...one].entries()) {
    const next = [down + 1];
    for (const [across, wanted] of [...other].entries())
      next.push(Math.min(next[across] + 1, row[across + 1] + 1, row[across] + (character === wanted ? 0 : 1)));
    row = next;
  }
  return row[other.length];
}

function overview(commands) {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `stabletill COMMAND …

${lines.join('\n')}

"stabletill COMMAND --help" explains one. With --json a command prints one JSON object.
A command works on the installation in DATA_DIR (npm start), or on the one that the environment describes.
${CODES}`;
}

function helpOf({ usage, options = {}, isJsonless = false }) {
  const all = {
    ...options,
    ...(options['--json'] || isJsonless ? {} : { '--json': 'prints the lines in one JSON object' }),
  };
  const width = Math.max(0, ...Object.keys(all).map(({ length }) => length));
  const lines = Object.entries(all).map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  return [
    usage,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(usage.includes('Exit codes:') ? [] : [CODES]),
  ].join('\n\n');
}

function versionText() {
  const { version } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8'));
  return version;
}

function printed(print, text) {
  print(text);
  return 0;
}

if (fs.realpathSync(process.argv[1] ?? '.') === import.meta.filename) {
  readSecretFiles(process.env);
  process.exitCode = await runStabletill(process.argv.slice(2), { print: console.log, note: console.error });
}
