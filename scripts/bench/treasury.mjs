// `npm run bench -- treasury`: speed and cost of the treasury beside its goals and the figures of other services. Each part has a process of
// its own, so that neither memory nor load of one is in the figures of another. Named parts run alone: `npm run bench -- treasury solana`.
// `real` needs `--tokens=DIRECTORY` (docs/sweeping-contract.md).

import { fork } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { PARTS } from './treasury/parts.mjs';

const PART_FILE = path.join(import.meta.dirname, 'treasury/part.mjs');
const TOKENS = '--tokens=';
const COLUMNS = ['goal', 'target', 'measured', 'peers'];

/** Resolves to whether every goal was met. */
export async function bench(args) {
  const directory = args.find((one) => one.startsWith(TOKENS))?.slice(TOKENS.length);
  const names = args.filter((one) => !one.startsWith('--'));
  const unknown = names.find((one) => !Object.hasOwn(PARTS, one));
  if (unknown !== undefined) throw new Error(`There is no part "${unknown}", only ${Object.keys(PARTS).join(', ')}.`);
  const all = Object.keys(PARTS).filter((one) => one !== 'real' || directory !== undefined);
  const goals = [];
  for (const name of names.length > 0 ? names : all) goals.push(...(await run(name, directory)));
  print(goals);
  return goals.every(({ met }) => met);
}

/** The goals of a part. One that could not be measured is a goal that was missed. */
async function run(name, directory) {
  console.log(`\n${name}`);
  const child = fork(PART_FILE, [name, ...(directory === undefined ? [] : [path.resolve(directory)])]);
  let goals = null;
  child.on('message', (message) => (goals = message));
  await new Promise((resolve) => child.once('exit', resolve));
  return goals ?? [{ what: `${name}: could not be measured`, target: '', measured: 'an error', peers: '', met: false }];
}

function print(goals) {
  const rows = goals.map(({ what, target, measured, peers }) => [what, target, measured, peers]);
  const widths = COLUMNS.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
  const line = (result, cells) =>
    console.log(`${result.padEnd(6)}${cells.map((cell, at) => cell.padEnd(widths[at])).join('  ')}`.trimEnd());
  console.log('');
  line('', COLUMNS);
  for (const [at, { met }] of goals.entries()) line(met ? 'pass' : 'FAIL', rows[at]);
  const [load, cores] = [os.loadavg()[0], os.availableParallelism()];
  if (load > 2 * cores)
    console.log(`Other work keeps this machine busy (load ${load.toFixed(0)} on ${cores} cores): seconds say little.`);
}
