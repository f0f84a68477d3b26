// Starts the two compared servers, each as a separate process: the product's web process in its production build, and
// the bare server, bundled the same way.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { build } from 'esbuild';
import { freePort } from '../free-port.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const WEB = path.join(ROOT, 'dist/server.mjs');
const BARE = path.join(ROOT, 'dist/bench/bare-server.mjs');
const READY_LIMIT_MS = 30_000;
/** Clock ticks a second in /proc on every Linux that Node runs on. */
const TICKS = 100;

/** The product's web process behind its node-adapter, without rate limits for this machine; `env`: extra settings. */
export async function startProduct({ url, masterKeys, env: more = {} }) {
  if (!fs.existsSync(WEB)) throw new Error('There is no dist/server.mjs; run `npm run build` first.');
  const port = await freePort();
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    DATABASE_URL: url,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    MASTER_KEYS: masterKeys,
    LOG_LEVEL: 'warn',
    LIMIT_LOOPBACK: 'off',
    // Offered on sessions, never called: the web process does not connect to chains.
    TEST_CHAINS: 'local',
    TEST_ETHEREUM_URLS: 'http://127.0.0.1:9',
    TEST_BSC_URLS: 'http://127.0.0.1:9',
    // Every secret that a production process may require; none is used here.
    NEXTAUTH_SECRET: masterKeys,
    ...more,
  };
  return started(
    'product',
    port,
    spawn(process.execPath, [WEB], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** The bare server with the same statements on the same database. */
export async function startBare({ url, apiKey, apiSecret }) {
  await build({
    entryPoints: [path.join(import.meta.dirname, 'bare-server.ts')],
    outfile: BARE,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  const port = await freePort();
  const args = [BARE, url, String(port), apiKey, apiSecret];
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production' };
  return started('bare', port, spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

async function started(name, port, child) {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => child.once('exit', resolve) && child.kill('SIGKILL'));
  };
  const end = Date.now() + READY_LIMIT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`The ${name} server did not start: ${said}`);
    }
    await new Promise((wake) => setTimeout(wake, 100));
  }
  return {
    name,
    port,
    stop,
    output: () => said,
    cpuSeconds: () => cpuSeconds(child.pid),
    peakMegabytes: () => peakMegabytes(child.pid),
  };
}

/** Any response will do. */
function answers(port) {
  return new Promise((resolve) => {
    const request = http.get({ port, host: '127.0.0.1', path: '/api/v1/none', agent: false }, (response) => {
      response.resume();
      resolve(true);
    });
    request.once('error', () => resolve(false));
  });
}

/** Processor time that a process has used, or null where the system does not report it. */
function cpuSeconds(pid) {
  const file = `/proc/${pid}/stat`;
  if (!fs.existsSync(file)) return null;
  const fields = fs.readFileSync(file, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The peak memory of a process, or null where the system does not report it. */
function peakMegabytes(pid) {
  const file = `/proc/${pid}/status`;
  if (!fs.existsSync(file)) return null;
  return Number(/VmHWM:\s*(\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1]) / 1024;
}
