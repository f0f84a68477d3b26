// What the modules of scripts/stabletill share: the built program and the installation's settings.

import fs from 'node:fs';
import path from 'node:path';
import { useInstallation } from './installation.mjs';

const DIST = path.join(import.meta.dirname, '../../dist');

/**
 * Runs `run` with dist/`name`.mjs and `npm start`'s data directory (or null), and returns its exit code. The environment
 * then names the installation and, in DATABASE_URL, the database in the given role.
 * @param {string} name
 * @param {(program: any, directory: string | null) => number | Promise<number>} run
 * @param {{ role?: 'owner' | 'worker', mayBeDown?: boolean }} [options]
 */
export async function runProgram(name, run, { role = 'owner', mayBeDown = false } = {}) {
  const built = programFile(name);
  const directory = await useInstallation({ role, mayBeDown });
  return run(await import(built), directory);
}

/** The file of a built program. Throws an Error when it was not built. */
export function programFile(name) {
  const built = path.join(DIST, `${name}.mjs`);
  if (!fs.existsSync(built)) throw new Error('Not built yet: run `npm run build` first.');
  return built;
}

/** The required setting of a command. Throws an Error that names it. */
export function required(name, what) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: name ${what}.`);
  return value;
}

export const theDatabase = () => required('DATABASE_URL', 'the database of the installation');

/** A pool of one connection for the time of `work`. */
export async function withPool(work) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: theDatabase(), max: 1, options: '-c TimeZone=UTC' });
  pool.on('error', () => {}); // A lost connection fails the statement that waits for it.
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
