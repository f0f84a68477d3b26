// Starts the product as a newcomer does (`scripts/start.mjs`), on a free port with a new data directory, and stops all
// of it. For the browser tests, the acceptance programs and the crash test.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { ROOT } from './install.mjs';

/** The first start builds; on two cores that takes a minute or two. */
const READY_LIMIT_MS = 10 * 60_000;
/** Stopping takes a second or two; the supervisor gives each of its four groups twenty seconds on a slow disk. */
const STOP_LIMIT_MS = 100_000;
/** Enough to see the cause beside its consequences. */
const MAX_ERRORS = 20;
/** Settings of the surrounding shell that would change the installation. */
const FOREIGN = [
  'DATABASE_URL',
  'SANDBOX',
  'PUBLIC_URL',
  'PORT',
  'DATA_DIR',
  'TEST_DATABASE_URL',
  'NODE_ENV',
  'DIRECT_DOOR',
];

/**
 * Resolves when the sandbox is ready, to its address and `stop`. `stop` rejects when the shutdown was not clean; either
 * way it removes the data directory.
 * @param {Record<string, string>} [settings] extra environment
 */
export async function startSandbox(settings = {}) {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-sandbox-'));
  // As root, PostgreSQL runs as another user and must be able to enter.
  fs.chmodSync(dataDir, 0o755);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.includes(name)));
  const port = String(await freePort());
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: ROOT,
    env: { ...env, PORT: port, DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = fs.createWriteStream(path.join(dataDir, 'test-output.log'));
  child.stdout.pipe(output);
  child.stderr.pipe(output);
  const stop = () => end(child).finally(() => fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  try {
    await ready(child);
  } catch (error) {
    const logs = lastLines(dataDir);
    await stop().catch(() => {});
    throw new Error(`${error.message}\n${logs}`, { cause: error });
  }
  const jsonFile = path.join(dataDir, 'sandbox.json');
  return { baseUrl: `http://127.0.0.1:${port}`, dataDir, jsonFile, child, stop };
}

function ready(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => fail(`was not ready within ${READY_LIMIT_MS / 60_000} minutes`), READY_LIMIT_MS);
    const fail = (why) => {
      clearTimeout(timer);
      reject(new Error(`The sandbox ${why}:\n${said.slice(-6000)}`));
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said = (said + chunk).slice(-20_000);
        if (!/^ready http/m.test(said)) return;
        clearTimeout(timer);
        resolve(undefined);
      });
    }
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.once('exit', (code, signal) => fail(`ended with ${signal ?? code} before it was ready`));
  });
}

/** The last errors in a sandbox's logs, which hold no secrets: for a test that failed through a fault of the product. */
export function loggedErrors(dataDir) {
  const directory = path.join(dataDir, 'logs');
  if (!fs.existsSync(directory)) return [];
  const lines = fs
    .readdirSync(directory)
    .flatMap((name) => fs.readFileSync(path.join(directory, name), 'utf8').split('\n'));
  return lines.filter((line) => /^\{"level":[56]0,/.test(line)).slice(-MAX_ERRORS);
}

/** The end of every log in a sandbox's data directory, which is removed when the sandbox stops. */
export function lastLines(dataDir) {
  const directory = path.join(dataDir, 'logs');
  if (!fs.existsSync(directory)) return '';
  const files = fs.readdirSync(directory).map((name) => path.join(directory, name));
  return files.map((file) => `${file}:\n${fs.readFileSync(file, 'utf8').slice(-2000)}`).join('\n');
}

function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The sandbox did not end within ${STOP_LIMIT_MS / 1000} s of SIGTERM.`));
    }, STOP_LIMIT_MS);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      if (code === 0 || signal === 'SIGTERM') resolve(undefined);
      else reject(new Error(`The sandbox ended with ${signal ?? code} instead of cleanly.`));
    });
    child.kill('SIGTERM');
  });
}
