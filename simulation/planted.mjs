// `npm run simulate:planted`: plants each bug of planted/*.patch in a copy of the committed sources, and reports after how many
// histories the simulator finds it. The working tree stays as it is. See planted/README.md.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundleSimulator } from './bundle.mjs';
import { readArguments, readResult, tableOf } from './planted-results.mjs';
import { startServer } from './server.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PLANTED = path.join(import.meta.dirname, 'planted');
const SUFFIX = '.patch';
/** Histories of the pure functions, which come first: they take seconds, and find what is wrong with sums and decisions. */
const MODEL_HISTORIES = 300;
/** Two thousand histories take an hour or two. A bug that makes the product wait for ever must not stop the others. */
const LONGEST_MS = 6 * 3_600_000;

const names = fs
  .readdirSync(PLANTED)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length));

/** Runs a git command and returns its output. Throws an Error with its message when it fails. */
function git(args, directory) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1) || `git ${args[0]} failed`);
  return stdout.trim();
}

/** All copies are of one commit, also when another one follows during the hours of a run. */
const COMMIT = git(['rev-parse', 'HEAD'], ROOT);

/** Runs `work` in a copy of the committed sources, and removes the copy again. */
async function inCopy(name, work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-planted-'));
  const copy = path.join(folder, name);
  try {
    git(['worktree', 'add', '--detach', copy, COMMIT], ROOT);
    fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
    fs.cpSync(path.join(ROOT, 'prisma/generated'), path.join(copy, 'prisma/generated'), { recursive: true });
    return await work(copy);
  } finally {
    spawnSync('git', ['worktree', 'remove', '--force', copy], { cwd: ROOT });
    fs.rmSync(folder, { recursive: true, force: true });
    // Forgets a copy that git could not remove by itself.
    spawnSync('git', ['worktree', 'prune'], { cwd: ROOT });
  }
}

/**
 * Whether the sources without any bug fail in the history of a seed. Each seed runs once, because all bugs have the same
 * seeds.
 */
async function openControl(copy, request, interrupted) {
  const simulator = await bundleSimulator(copy);
  const known = new Map();
  const run = async (seed) => {
    const result = readResult('control', await simulate(simulator, { ...request, seed, histories: 1 }, interrupted));
    if (result.kind === 'failed') throw new Error(`without a bug, ${result.reason}`);
    return result.kind === 'found';
  };
  return (seed) => {
    const answer = known.get(seed) ?? run(seed);
    known.set(seed, answer);
    return answer;
  };
}

/** Plants one bug and runs the simulator until it finds it. A history that fails without the bug too does not count. */
function plant(name, request, { failsWithout, interrupted }) {
  return inCopy(name, async (copy) => {
    git(['apply', path.join(PLANTED, `${name}${SUFFIX}`)], copy);
    const simulator = await bundleSimulator(copy);
    const model = { seed: request.seed, histories: MODEL_HISTORIES };
    const quick = readResult(name, await simulate(simulator, model, interrupted, ['--model']));
    if (quick.kind === 'found') return { ...quick, violation: `${quick.violation} (model)` };
    for (let passed = 0; passed < request.histories;) {
      const rest = { ...request, seed: request.seed + passed, histories: request.histories - passed };
      const result = readResult(name, await simulate(simulator, rest, interrupted));
      if (result.kind === 'failed') return result;
      passed += result.histories;
      if (result.kind === 'found' && !(await failsWithout(result.seed))) return { ...result, histories: passed };
    }
    return { name, kind: 'missed', histories: request.histories };
  }).catch((error) => ({ name, kind: 'failed', reason: error.message }));
}

/** Resolves to how the simulator ended and what it printed. */
function simulate(simulator, { histories, seed, server }, interrupted, mode = ['--first', '--server', server]) {
  const options = ['--seed', seed, '--histories', histories, ...mode].map(String);
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(LONGEST_MS)]);
  const child = spawn(process.execPath, [simulator, ...options], { signal, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const stream of /** @type {const} */ (['stdout', 'stderr'])) {
    child[stream].setEncoding('utf8').on('data', (text) => void (output[stream] += text));
  }
  let fault = null;
  child.once('error', (error) => (fault = interrupted.aborted ? new Error('interrupted') : error));
  return new Promise((resolve, reject) => {
    child.once('close', (status, ended) => (fault ? reject(fault) : resolve({ status, signal: ended, ...output })));
  });
}

async function main() {
  const request = readArguments(process.argv.slice(2), names);
  const interruption = new AbortController();
  // npm and tsx both pass a signal on. The second one must not end the process before it has removed its copies.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interruption.abort());
  const server = await startServer(request.server);
  const waiting = [...request.chosen];
  const results = [];
  const plantAll = async (clean) => {
    const failsWithout = await openControl(clean, { ...request, server: server.url }, interruption.signal);
    const work = async () => {
      for (let name = waiting.shift(); name !== undefined && !interruption.signal.aborted; name = waiting.shift()) {
        const given = { failsWithout, interrupted: interruption.signal };
        const result = await plant(name, { ...request, server: server.url }, given);
        results.push(result);
        console.log(`${result.name}: ${result.kind}`);
      }
    };
    await Promise.all(Array.from({ length: request.jobs }, work));
  };
  try {
    await inCopy('without-a-bug', plantAll);
  } finally {
    await server.stop();
  }
  console.log(`\n${tableOf(results).join('\n')}`);
  const hasRun = results.length === request.chosen.length && results.every(({ kind }) => kind !== 'failed');
  return hasRun ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
