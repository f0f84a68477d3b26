// `npm run mutation`: mutation tests of the modules that decide about money and access (docs/mutation-testing.md). It ends with a table of
// scores and exits with 1 when one is below 90 percent.
//
//   npm run mutation                     every module; mutants whose file and tests did not change keep their result
//   npm run mutation -- money judge      only these (modules.mjs)
//   npm run mutation -- --force json     tests every mutant again: a changed file that neither is mutated nor a test goes unnoticed
//   npm run mutation -- --again json     tests only the lines on which mutants survived, after tests were added
//   npm run mutation -- --survivors      only prints the survivors of the last runs

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { MODULES } from './modules.mjs';
import { rangesOfSurvivors, scoreOf, survivorsOf, withoutStaticSurvivors } from './report.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const LEAST_PERCENT = 90;
/** A module that hangs must not hold up the others. The longest one takes a quarter of an hour on two busy cores. */
const MODULE_LIMIT_MS = 90 * 60_000;

const args = process.argv.slice(2);
const names = args.filter((one) => !one.startsWith('--'));
const unknown = names.filter((one) => !(one in MODULES));
if (unknown.length > 0) throw new Error(`no module ${unknown.join(', ')}, only ${Object.keys(MODULES).join(', ')}`);
const chosen = names.length > 0 ? names : Object.keys(MODULES);

const stopped = args.includes('--survivors') ? [] : await mutate(chosen);
const rows = chosen.flatMap((name) => {
  const report = readReport(name);
  if (report === null) return [];
  for (const one of survivorsOf(report)) console.log(`${name}  ${one}`);
  return [{ module: name, ...scoreOf(report) }];
});
console.table(rows);
const low = rows.filter(({ percent }) => percent < LEAST_PERCENT).map(({ module }) => module);
if (low.length > 0) console.log(`below ${LEAST_PERCENT} %: ${low.join(', ')}`);
if (stopped.length > 0) console.log(`not finished: ${stopped.join(', ')}`);
process.exitCode = low.length + stopped.length > 0 ? 1 : 0;

/**
 * Stryker is 130 packages, more than everything else that tests need, and only this command uses it: it is installed when it is
 * missing, and named in no package.json.
 */
const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/vitest-runner@9.6.1'];

function installStryker() {
  if (fs.existsSync(path.join(ROOT, 'node_modules/.bin/stryker'))) return;
  const given = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...STRYKER];
  const { status } = spawnSync('npm', given, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('Stryker could not be installed');
}

/** Runs Stryker on each module. Returns the modules whose run failed. */
async function mutate(modules) {
  installStryker();
  const failed = [];
  for (const name of modules) {
    console.log(`\n── ${name} ──`);
    forgetStaticSurvivors(name);
    if ((await runStryker(name)) !== 0) failed.push(name);
  }
  return failed;
}

/** Stryker would keep them although a new test may kill them: it does not know which tests reach a static mutant. */
function forgetStaticSurvivors(name) {
  const file = path.join(ROOT, `.mutation/${name}-incremental.json`);
  if (!fs.existsSync(file)) return;
  fs.writeFileSync(file, JSON.stringify(withoutStaticSurvivors(JSON.parse(fs.readFileSync(file, 'utf8')))));
}

/** Resolves to the exit code; null when the time limit ended it. */
function runStryker(name) {
  const force = args.includes('--force') ? ['--force'] : [];
  const ranges = args.includes('--again') ? rangesOfSurvivors(readReport(name)) : [];
  if (args.includes('--again') && ranges.length === 0) return 0;
  const scope = ranges.length > 0 ? ['--mutate', ranges.join(',')] : [];
  return new Promise((resolve, reject) => {
    const child = spawn(
      path.join(ROOT, 'node_modules/.bin/stryker'),
      ['run', 'scripts/mutation/stryker.config.mjs', ...force, ...scope],
      {
        cwd: ROOT,
        env: { ...process.env, MUTATION_MODULE: name },
        stdio: ['ignore', 'inherit', 'inherit'],
        timeout: MODULE_LIMIT_MS,
      },
    );
    child.once('error', reject);
    child.once('close', resolve);
  });
}

function readReport(name) {
  const file = path.join(ROOT, `.mutation/${name}.json`);
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null;
}
