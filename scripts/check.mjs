// `npm run check`: types, lint, format, unused code and dependencies of the whole tree. It shows a tool's output only on failure,
// and ends with one summary line. `npm test` also runs it and counts it as one item.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { dependencyFaults } from './check-deps.mjs';

const ROOT = path.join(import.meta.dirname, '..');
/** A tool that hangs must not block the tests for ever. */
const TOOL_LIMIT_MS = 5 * 60_000;

/**
 * Runs every check and prints one line each. Resolves to the names of the failed checks.
 * @returns {Promise<string[]>}
 */
export async function check() {
  await generateWhatTypesNeed();
  const checks = [
    ['types', () => tool('tsc', ['--noEmit'])],
    ['lint', () => tool('oxlint', ['--type-aware', '--deny-warnings'])],
    ['format', () => tool('prettier', ['--check', '--log-level', 'warn', '.'])],
    ['unused code', () => tool('knip', ['--no-progress', '--no-config-hints'])],
    ['dependencies', dependencies],
  ];
  const failed = [];
  for (const [name, run] of checks) {
    const started = performance.now();
    const fault = await run();
    console.log(`${fault ? 'FAILED' : 'ok    '}  ${name}  ${((performance.now() - started) / 1000).toFixed(1)} s`);
    if (!fault) continue;
    console.log(fault.trimEnd());
    failed.push(name);
  }
  return failed;
}

/** The Prisma client and Next's declarations are generated, not committed. */
export async function generateWhatTypesNeed() {
  const wanted = [
    ['Prisma client', 'prisma/generated/client.ts', 'prisma/schema.prisma', 'prisma', ['generate']],
    ['Next types', 'next-env.d.ts', 'next.config.mjs', 'next', ['typegen']],
  ];
  for (const [name, made, source, command, args] of wanted) {
    if (!fs.existsSync(path.join(ROOT, source)) || isNewer(made, source)) continue;
    const fault = await tool(command, args);
    if (fault) throw new Error(`${name}: ${command} ${args.join(' ')} failed\n${fault}`);
  }
}

function isNewer(made, source) {
  const [target, origin] = [made, source].map((file) => path.join(ROOT, file));
  return fs.existsSync(target) && fs.statSync(target).mtimeMs >= fs.statSync(origin).mtimeMs;
}

/** Runs an installed tool; resolves to null, or to its output when it failed. */
function tool(name, args) {
  return new Promise((resolve) => {
    const file = path.join(ROOT, 'node_modules/.bin', name);
    const child = spawn(file, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], timeout: TOOL_LIMIT_MS });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.once('error', (error) => resolve(`${name} could not be started: ${error.message}`));
    child.once('close', (code, signal) => {
      resolve(code === 0 ? null : said || `${name} ended with ${signal ?? code}`);
    });
  });
}

async function dependencies() {
  const lock = JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const faults = dependencyFaults(lock);
  return faults.length > 0 ? faults.join('\n') : null;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const failed = await check();
  console.log(failed.length > 0 ? `check failed: ${failed.join(', ')}` : 'check passed');
  process.exitCode = failed.length > 0 ? 1 : 0;
}
