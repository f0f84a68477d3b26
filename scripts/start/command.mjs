// Shared code of the `npm run` commands: the built program, the installation's settings, and one sentence on failure.

import fs from 'node:fs';
import path from 'node:path';
import { useInstallation } from './installation.mjs';

const DIST = path.join(import.meta.dirname, '../../dist');

/**
 * Runs `run` with dist/`name`.mjs, the command-line words and `npm start`'s data directory (or null); exits with its
 * result. The environment then names the installation and, in DATABASE_URL, the database in the given role.
 * @param {string} name
 * @param {(program: any, words: string[], directory: string | null) => Promise<number>} run
 * @param {{ role?: 'owner' | 'worker', mayBeDown?: boolean }} [options]
 */
export async function runCommand(name, run, { role = 'owner', mayBeDown = false } = {}) {
  const built = path.join(DIST, `${name}.mjs`);
  try {
    if (!fs.existsSync(built)) throw new Error('Not built yet: run `npm run build` first.');
    const directory = await useInstallation({ role, mayBeDown });
    process.exitCode = await run(await import(built), process.argv.slice(2), directory);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

/** The required setting of a command. Throws an Error that names it. */
export function required(name, what) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: name ${what}.`);
  return value;
}

export const theDatabase = () => required('DATABASE_URL', 'the database of the installation');
