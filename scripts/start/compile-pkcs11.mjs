// Compiles pkcs11js, the optional package through which the signer reaches an HSM. `npm ci` installs its sources and runs no script, so
// nothing of it can fail there.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const BUILT = 'node_modules/pkcs11js/build/Release/pkcs11.node';

export const isPkcs11Compiled = (root) => fs.existsSync(path.join(root, BUILT));

/** Throws an Error that says what is missing. */
export function compilePkcs11(root) {
  if (!fs.existsSync(path.join(root, 'node_modules/pkcs11js')))
    throw new Error('pkcs11js is not installed: run `npm ci` without --omit=optional first.');
  // The headers that came with Node, where they did; node-gyp downloads them otherwise.
  const prefix = path.resolve(path.dirname(process.execPath), '..');
  const hasHeaders = fs.existsSync(path.join(prefix, 'include/node/node_api.h'));
  const headers = hasHeaders ? { npm_config_nodedir: prefix } : {};
  const { status, stderr, error } = spawnSync('npm', ['rebuild', 'pkcs11js', '--ignore-scripts=false'], {
    cwd: root,
    env: { ...process.env, ...headers },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0 && isPkcs11Compiled(root)) return;
  throw new Error(
    `pkcs11js cannot be compiled: it needs Python, make and a C++ compiler (Debian: apt-get install python3 make g++).\n${error?.message ?? stderr}`,
  );
}
