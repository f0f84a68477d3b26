// Checks whether the packages of package-lock.json are installed, and installs them. Uses only Node's own modules,
// because no others exist yet.

import fs from 'node:fs';
import path from 'node:path';
import { Refusal } from './refusal.mjs';

const WAYS = [
  ['ci', '--include=dev', '--prefer-offline'],
  // npm ci rejects a lock file that does not fit this platform's packages; install accepts it. The lock is not written.
  ['install', '--include=dev', '--prefer-offline', '--no-save', '--no-package-lock'],
];
const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/** Other platforms' packages may be absent; all others must have the version in the lock. */
export function isInstalled(root) {
  const installed = packagesIn(path.join(root, 'node_modules/.package-lock.json'));
  const wanted = packagesIn(path.join(root, 'package-lock.json'));
  if (!installed || !wanted) return false;
  return Object.entries(wanted).every(
    ([place, { version, optional }]) =>
      place === '' || (optional && !installed[place]) || installed[place]?.version === version,
  );
}

function packagesIn(file) {
  if (!fs.existsSync(file)) return null;
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
}

/**
 * Installs the packages with npm. `run` starts a program and resolves when it succeeded. Throws a Refusal.
 * @param {{ environment: Record<string, string | undefined>, run: (command: string, args: string[], env: Record<string, string>) => Promise<unknown>, say: (line: string) => void, logFile: string }} options
 */
export async function install({ environment, run, say, logFile }) {
  const npm = environment.npm_execpath;
  const [command, first] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
  for (const [index, way] of WAYS.entries()) {
    const fault = await run(command, [...first, ...way, ...QUIET], { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }).then(
      () => null,
      (error) => error,
    );
    if (!fault) return;
    if (fault.name === 'Stopped') throw fault;
    if (index === 0) say('npm ci did not succeed; trying npm install');
  }
  throw new Refusal(`The packages could not be installed, neither by npm ci nor by npm install: ${logFile} says why.`);
}
