#!/usr/bin/env node
// `npm run hsm`: keys in an HSM (docs/operate.md, “Keys in an HSM”). `build` compiles pkcs11js, which no installation does by itself. All
// other words go to the signer's `hsm` command, with the signer's settings and at this terminal.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { compilePkcs11 } from './start/compile-pkcs11.mjs';
import { readSecrets } from './start/secrets.mjs';
import { dataDirectoryOf, readEnvironment } from './start/settings.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const SIGNER = path.join(ROOT, 'dist/signer.mjs');

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function main(words) {
  if (words.length === 1 && words[0] === 'build') {
    compilePkcs11(ROOT);
    console.log('pkcs11js is compiled.');
    return 0;
  }
  if (!fs.existsSync(SIGNER)) throw new Error('Not built yet: run `npm run build` first.');
  const { env, cwd } = signerEnvironment();
  // The signer itself runs at this terminal: no process sits between the passphrase and the signer.
  const child = spawn(process.execPath, [SIGNER, 'hsm', ...words], { cwd, env, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** In a data directory of `npm start`, that of its signer; elsewhere the environment has every setting. */
function signerEnvironment() {
  const env = readEnvironment(ROOT);
  if (env.KEYSTORE_FILE) return { env, cwd: process.cwd() };
  const directory = dataDirectoryOf(env, ROOT);
  const isInstalled = fs.existsSync(path.join(directory, 'secrets.json'));
  const secrets = isInstalled ? { KEYSTORE_PASSPHRASE: readSecrets(directory, env).KEYSTORE_PASSPHRASE } : {};
  // The paths of its other settings are relative to where it runs.
  return { env: { ...env, ...secrets, KEYSTORE_FILE: 'keystore.json' }, cwd: isInstalled ? directory : process.cwd() };
}
