// What `npm run simulate:planted` reads and prints: its arguments, the output of one simulator, and the table at the end. Pure.

import { parseArgs } from 'node:util';

/** Each simulator opens ten connections, and a PostgreSQL server accepts a hundred by default. */
const MAX_JOBS = 8;
const LONGEST_VIOLATION = 160;

/**
 * @typedef {{ histories: number, seed: number, jobs: number, server: string | undefined, chosen: string[] }} Request
 * @typedef {{ status: number | null, signal: string | null, stdout: string, stderr: string }} Ended
 * @typedef {{ name: string, kind: 'found', histories: number, seed: number, violation: string }
 *   | { name: string, kind: 'missed', histories: number }
 *   | { name: string, kind: 'failed', reason: string }} Result
 */

/**
 * The arguments of the command. `names`: all planted bugs; a positional argument chooses those whose names contain it. Throws an
 * Error for an option that is unknown or not a whole number in its range, and for a positional argument that chooses none.
 * @param {string[]} given
 * @param {string[]} names
 * @returns {Request}
 */
export function readArguments(given, names) {
  const { values, positionals } = parseArgs({
    args: given,
    allowPositionals: true,
    options: {
      histories: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '1' },
      server: { type: 'string' },
    },
  });
  for (const text of positionals) {
    if (!names.some((name) => name.includes(text))) throw new Error(`no planted bug has "${text}" in its name`);
  }
  return {
    histories: wholeNumber('--histories', values.histories, { least: 1 }),
    seed: wholeNumber('--seed', values.seed, { least: 0 }),
    jobs: wholeNumber('--jobs', values.jobs, { least: 1, most: MAX_JOBS }),
    server: values.server,
    chosen: names.filter((name) => positionals.length === 0 || positionals.some((text) => name.includes(text))),
  };
}

function wholeNumber(option, text, { least, most = 999_999_999 }) {
  const number = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`${option} must be a whole number from ${least} to ${most}, not "${text}"`);
}

/**
 * The result of a simulator that has ended. Only the line of a violation counts as found, and only the closing line of a run
 * without one as missed: everything else is a failure of the simulator.
 * @param {string} name
 * @param {Ended} ended
 * @returns {Result}
 */
export function readResult(name, { status, signal, stdout, stderr }) {
  const lines = stdout.split('\n');
  const found = lines.map((line) => /^history (\d+): seed (\d+) failed after step \w+: (.*)$/.exec(line)).find(Boolean);
  if (status === 1 && found) {
    const [histories, seed] = [found[1], found[2]].map(Number);
    return { name, kind: 'found', histories, seed, violation: firstSentence(found[3] ?? '') };
  }
  const missed = lines.map((line) => /^(\d+) histories .*: nothing found$/.exec(line)).find(Boolean);
  if (status === 0 && missed) return { name, kind: 'missed', histories: Number(missed[1]) };
  const output = (stderr.trim() || stdout.trim()).split('\n');
  // Node prints the line of the source first, and the message after it.
  const message = output.find((line) => /^\w*Error\b/.test(line)) ?? output.at(-1) ?? '';
  return { name, kind: 'failed', reason: `the simulator ended with ${signal ?? status}: ${message || 'no output'}` };
}

function firstSentence(text) {
  const sentence = /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
  return sentence.length > LONGEST_VIOLATION ? `${sentence.slice(0, LONGEST_VIOLATION)}…` : sentence;
}

/**
 * The results in the order of their names, the failures after them, and the sum.
 * @param {Result[]} results
 * @returns {string[]}
 */
export function tableOf(results) {
  const sorted = results.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const ran = sorted.filter(({ kind }) => kind !== 'failed');
  const failed = sorted.filter(({ kind }) => kind === 'failed');
  const width = Math.max(0, ...ran.map(({ name }) => name.length));
  return [
    ...ran.map((one) => {
      const histories = String(one.histories).padStart(5);
      const text = one.kind === 'found' ? `${histories}  ${one.violation}` : `    -  not found in ${one.histories}`;
      return `${one.name.padEnd(width)}  ${text}`;
    }),
    ...(failed.length > 0 ? ['', `${failed.length} did not run:`] : []),
    ...failed.map(({ name, reason }) => `${name}: ${reason}`),
    '',
    `${ran.filter(({ kind }) => kind === 'found').length} of ${results.length} found`,
  ];
}
