#!/usr/bin/env node
// Runs the web process as plain `next start`, without server.ts, on the installation in DATA_DIR, with its settings and its
// database. Settings of the environment win: PORT and PUBLIC_URL at least. With `--direct` it runs server.ts instead, so that a
// test can compare both. Needs a build.

import { spawn } from 'node:child_process';
import path from 'node:path';
import { useInstallation } from './start/installation.mjs';

const ROOT = path.join(import.meta.dirname, '..');

await useInstallation({ role: 'web' });
const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
const args = process.argv.includes('--direct')
  ? ['dist/server.mjs']
  : ['node_modules/next/dist/bin/next', 'start', '-H', HOST, '-p', PORT];
const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
