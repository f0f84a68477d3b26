// `npm test`: all tests of the product, from a fresh clone with nothing installed. It ends with the line `N passed, N
// failed`. To run parts: `npm test -- check`, `unit`, `e2e`, `crash`, `simulate`, or paths of unit tests.
//
// A failed unit test file or browser story runs a second time, so that one unlucky moment among 8,000 tests does not
// block a commit. It is then listed as FLAKY: a test or a race to fix.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  closingCount,
  closingLine,
  filesToRepeat,
  playwrightCount,
  playwrightFailures,
  playwrightFlaky,
  repeatedCount,
  sum,
  vitestCount,
  vitestFailures,
} from './test/counts.mjs';
import { installBrowser, installHsm, installPackages, installValkey, ROOT } from './test/install.mjs';
import { startSandbox } from './test/sandbox.mjs';
import { secretsInLogs } from './test/secrets.mjs';

const PARTS = { check: runCheck, unit: runUnit, e2e: runBrowser, crash: runCrash, simulate: runSimulation };
/** A program that hangs must not block CI: about three times the longest run on two cores. */
const PART_LIMIT_MS = 50 * 60_000;
const MEMORY = '/dev/shm';
/** What all temporary files need, several times over. */
const ROOM_BYTES = 6 * 2 ** 30;

const asked = process.argv.slice(2);
const names = asked.filter((one) => one in PARTS);
const paths = asked.filter((one) => !(one in PARTS));
const chosen = names.length > 0 ? names : paths.length > 0 ? ['unit'] : Object.keys(PARTS);
const scratch = temporaryDirectory();
process.once('exit', () => fs.rmSync(scratch, { recursive: true, force: true }));

installPackages();
const results = [];
const failures = [];
const flaky = [];
/** What fresh seeds of the simulator found. */
const found = [];
for (const name of chosen) {
  console.log(`\n── ${name} ──`);
  const started = performance.now();
  const count = await PARTS[name]().catch((error) => {
    console.error(error.message);
    return { passed: 0, failed: 1 };
  });
  results.push({ name, ...count, seconds: Math.round((performance.now() - started) / 1000) });
}

console.log('');
// Repeated at the end, for readers who see only the end of a long report.
for (const line of flaky) console.log(`FLAKY   ${line}`);
for (const line of found) console.log(`FOUND   ${line}`);
for (const line of failures) console.log(`FAILED  ${line}`);
for (const one of results) console.log(`${one.name}: ${one.passed} ok, ${one.failed} not ok, ${one.seconds} s`);
const total = sum(results);
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

/** Types, lint, format and dependencies count as one item. */
async function runCheck() {
  const { code } = await run(process.execPath, ['scripts/check.mjs']);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function runUnit() {
  installHsm();
  installValkey();
  const { generateWhatTypesNeed } = await import('./check.mjs');
  await generateWhatTypesNeed();
  const [report, again] = [path.join(scratch, 'unit.json'), path.join(scratch, 'unit-again.json')];
  const rows = path.join(scratch, 'rows');
  fs.mkdirSync(rows, { recursive: true });
  const vitest = (file, args, env = { ROW_TYPES_DIR: rows }) =>
    run(bin('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...args], env);
  const { code } = await vitest(report, paths);
  const repeated = filesToRepeat(report, code);
  if (repeated.length === 0) {
    failures.push(...vitestFailures(report));
    return sum([vitestCount(report, code), await checkRowTypes(vitest, rows)]);
  }
  console.log(`\nA second time, alone: ${repeated.map((one) => path.relative(ROOT, one)).join(' ')}`);
  const { code: second } = await vitest(again, ['--no-file-parallelism', ...repeated]);
  const failedTwice = vitestFailures(again);
  failures.push(...failedTwice);
  if (failedTwice.length === 0) flaky.push(...vitestFailures(report));
  return sum([repeatedCount(report, again, second), await checkRowTypes(vitest, rows)]);
}

/** Compares the row types in the source with the rows that the tests recorded in the directory. */
async function checkRowTypes(vitest, directory) {
  const report = path.join(scratch, 'rows.json');
  const { code } = await vitest(report, ['scripts/check/recorded-rows.test.mts'], {
    RECORDED_ROWS: directory,
    ...(paths.length === 0 ? { RECORDED_ALL: 'yes' } : {}),
  });
  failures.push(...vitestFailures(report));
  return vitestCount(report, code);
}

/** A check that the logs hold no secret counts as one item. */
async function runBrowser() {
  const browser = installBrowser();
  const sandbox = await startSandbox();
  const report = path.join(scratch, 'e2e.json');
  try {
    // With the projects before it. The game day is a drill.
    const { code } = await run(bin('playwright'), ['test', '--project=last', '--retries=1', '--reporter=list,json'], {
      CHROMIUM: browser,
      E2E_BASE_URL: sandbox.baseUrl,
      SANDBOX_JSON: sandbox.jsonFile,
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    });
    failures.push(...playwrightFailures(report));
    flaky.push(...playwrightFlaky(report));
    const secrets = secretsInLogs(sandbox.dataDir);
    const unclean = await sandbox.stop().then(
      () => [],
      (error) => [error.message],
    );
    failures.push(...secrets, ...unclean);
    return sum([
      playwrightCount(report, code),
      secrets.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 },
      { passed: 0, failed: unclean.length },
    ]);
  } finally {
    // Reported above when the stop was not clean; this handles a run that threw.
    await sandbox.stop().catch(() => {});
  }
}

async function runCrash() {
  const counts = [];
  // The short form of the kill campaign: each victim once at each step, on networks that the seed chooses.
  for (const program of [
    ['scripts/crash.mjs'],
    ['scripts/refund-crash.mjs', '--rounds', '1', '--spread', '--minutes', '10'],
  ]) {
    const { code, output } = await run(process.execPath, program);
    failures.push(
      ...output
        .split('\n')
        .filter((line) => line.startsWith('FAILED'))
        .map((line) => line.slice(8)),
    );
    counts.push(closingCount(output, code));
  }
  return sum(counts);
}

/**
 * Histories of the model, which block a commit, and three minutes of fresh seeds of the whole service. What these find is listed at
 * the end and looked at; it does not block until a thousand fresh histories in a row were clean (docs/simulation.md).
 */
async function runSimulation() {
  const simulate = (args) => run(bin('tsx'), ['simulation/command.ts', ...args]);
  const model = await simulate(['--model', '--histories', '1500']);
  const fresh = await simulate(['--minutes', '2', '--all']);
  const foundIn = ({ output }) => output.split('\n').filter((line) => /^history \d+: seed \d+ failed/.test(line));
  failures.push(...foundIn(model));
  found.push(...foundIn(fresh));
  const hasRun = /^[1-9]\d* histories and \d+ steps in /m.test(fresh.output);
  return sum([model.code === 0, hasRun].map((isGood) => ({ passed: Number(isGood), failed: Number(!isGood) })));
}

/**
 * A directory for all temporary files of the tests, in memory where there is room: on ext4, the files of a test's database take seconds
 * to create while those of others are removed.
 */
function temporaryDirectory() {
  const hasRoom = fs.existsSync(MEMORY) && os.freemem() > ROOM_BYTES && freeBytes(MEMORY) > ROOM_BYTES;
  const directory = fs.mkdtempSync(path.join(hasRoom ? MEMORY : os.tmpdir(), 'stabletill-tests-'));
  // PostgreSQL runs as another user.
  fs.chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return directory;
}

function freeBytes(directory) {
  const { bavail, bsize } = fs.statfsSync(directory);
  return bavail * bsize;
}

function bin(name) {
  return path.join(ROOT, 'node_modules/.bin', name);
}

/** Runs a program and shows its output as it arrives; resolves to its exit code and that output. */
function run(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: PART_LIMIT_MS,
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk);
      output = (output + chunk).slice(-100_000);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
