// For terminal commands: in a data directory of `npm start` they use its worker's or web process's settings, so that no
// secret is copied into a command line. Elsewhere (compose, a separate worker) the environment has every setting.

import fs from 'node:fs';
import path from 'node:path';
import { readSecretFiles } from '../../lib/platform/config/secret-files.mjs';
import { Refusal } from './refusal.mjs';
import { readSecrets } from './secrets.mjs';
import { dataDirectoryOf, environments, readEnvironment, readSettings } from './settings.mjs';
import { withSetup } from './setup-file.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
/** Nothing listens there: a stopped database is reported as unreachable. */
const NO_PORT = '1';
/** Settings from a start's command line that a later command cannot know. No secret is among them. */
const START_LINE = ['HOST', 'PORT', 'PUBLIC_URL', 'SANDBOX', 'TRUSTED_PROXIES', 'DIRECT_CLIENTS'];
/** The line of the port in PostgreSQL's postmaster.pid, which exists while it runs. */
const PORT_LINE = 3;

const startFileOf = (directory) => path.join(directory, 'start.json');

/**
 * Records how the installation was started, for later commands. `chains` is the sandbox's ready line, or null.
 * @param {string} directory
 * @param {{ environment: Record<string, string | undefined>, chains: object | null }} start
 */
export function writeStart(directory, { environment, chains }) {
  const line = Object.fromEntries(START_LINE.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const file = startFileOf(directory);
  // The description of the chains holds the private keys of their demo payers.
  fs.writeFileSync(`${file}.new`, JSON.stringify({ line, chains }), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

export function readStart(directory) {
  const file = startFileOf(directory);
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { line: {}, chains: null };
}

/**
 * Completes `environment` for a command, with its database role. A DATABASE_URL in the environment overrides the
 * installation, together with all other settings there. Returns the installation's data directory, or null without one.
 * `mayBeDown`: the command also works on a stopped installation. Throws a Refusal.
 * @param {{ role: 'owner' | 'worker' | 'web', mayBeDown?: boolean, environment?: Record<string, string | undefined>, root?: string }} options
 * @returns {Promise<string | null>}
 */
export async function useInstallation({ role, mayBeDown = false, environment = process.env, root = ROOT }) {
  readSecretFiles(environment);
  if (environment.DATABASE_URL) return null;
  const given = readEnvironment(root, environment);
  const directory = dataDirectoryOf(given, root);
  if (!fs.existsSync(path.join(directory, 'secrets.json'))) {
    Object.assign(environment, given);
    return null;
  }
  const { line, chains } = readStart(directory);
  const all = { ...line, ...withSetup(given, directory) };
  const settings = readSettings(all, root, 3000);
  const secrets = readSecrets(directory, all);
  const port = settings.databaseUrl === null ? portOf(directory) : null;
  if (settings.databaseUrl === null && port === null && !mayBeDown)
    throw new Refusal(`The installation in ${directory} does not run: start it with npm start and try again.`);
  const owner = settings.databaseUrl ?? embeddedUrl(secrets.OWNER_DATABASE_PASSWORD, port ?? NO_PORT);
  const { urlOfRole } = await import('../database-roles/apply.mjs');
  const passwords = { worker: secrets.WORKER_DATABASE_PASSWORD, web: secrets.WEB_DATABASE_PASSWORD };
  const url = role === 'owner' ? owner : urlOfRole(owner, role, passwords[role]);
  const databaseUrls = { owner, web: url, worker: url };
  const parts = { settings, secrets, environment: all, databaseUrls };
  const program = role === 'web' ? 'web' : 'worker';
  const { STOP_WITH_PARENT: _, ...own } = environments(parts)[program](settings.sandbox ? chains : null);
  Object.assign(environment, own);
  if (own.SIGNER_SOCKET === undefined) return directory;
  // A socket path may have only a hundred bytes; relative, it is short for commands that run beside the installation.
  environment.SIGNER_SOCKET = path.relative(process.cwd(), path.join(directory, own.SIGNER_SOCKET));
  return directory;
}

/** The same address as in scripts/postgres.mjs. */
const embeddedUrl = (password, port) => `postgresql://app:${password}@127.0.0.1:${port}/app`;

function portOf(directory) {
  const file = path.join(directory, 'postgres/postmaster.pid');
  if (!fs.existsSync(file)) return null;
  return fs.readFileSync(file, 'utf8').split('\n')[PORT_LINE] ?? null;
}
