// Runs the signer's own commands at this terminal, with the signer's settings. No process sits between the words and the
// screen.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { programFile } from './command.mjs';
import { readStart } from './installation.mjs';
import { Refusal } from './refusal.mjs';
import { readSecrets } from './secrets.mjs';
import { dataDirectoryOf, environments, readEnvironment, readSettings } from './settings.mjs';
import { withSetup } from './setup-file.mjs';

const ROOT = path.join(import.meta.dirname, '../..');

/** Resolves to the exit code. */
export function runSigner(words) {
  const { env, cwd } = signerEnvironment();
  const child = spawn(process.execPath, [programFile('signer'), ...withAbsoluteFile(words)], {
    cwd,
    env,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * The file after `--new` as an absolute path: the signer may run in another directory.
 * @param {readonly string[]} words
 */
export const withAbsoluteFile = (words, directory = process.cwd()) =>
  words.map((word, at) => (words[at - 1] === '--new' ? path.resolve(directory, word) : word));

/**
 * With KEYSTORE_FILE the environment has every setting, as in a container. In a data directory of `npm start`, the
 * settings are those of its signer.
 * @param {Record<string, string | undefined>} [environment]
 */
export function signerEnvironment(environment = process.env, root = ROOT) {
  const given = readEnvironment(root, environment);
  if (given.KEYSTORE_FILE) return { env: given, cwd: process.cwd() };
  const directory = dataDirectoryOf(given, root);
  if (!fs.existsSync(path.join(directory, 'secrets.json')))
    throw new Refusal(
      `KEYSTORE_FILE is not set, and ${directory} holds no installation of \`npm start\`. Set KEYSTORE_FILE to the keystore's file.`,
    );
  const all = { ...readStart(directory).line, ...withSetup(given, directory) };
  const settings = readSettings(all, root, 3000);
  const parts = { settings, secrets: readSecrets(directory, all), environment: all };
  const { STOP_WITH_PARENT: _, ...env } = environments({ ...parts, databaseUrls: NO_DATABASE }).signer;
  // Its paths are relative to where it runs.
  return { env, cwd: directory };
}

/** The signer has none. */
const NO_DATABASE = { owner: '', web: '', worker: '' };
