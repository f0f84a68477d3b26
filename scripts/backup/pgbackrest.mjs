// pgBackRest, as the operator has configured it: its configuration file and its PGBACKREST_ variables are the only settings of
// backups. This file reads the few that decide where a backup would lie, and runs its commands as the owner of PostgreSQL's files.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const CONFIG_FILES = ['/etc/pgbackrest/pgbackrest.conf', '/etc/pgbackrest.conf'];
/** pgBackRest knows no more. */
const MOST_REPOSITORIES = 256;
/** Repositories on a file system. The others are object stores. */
const ON_DISK = ['posix', 'cifs'];

/**
 * @typedef {{ stanza: string, dataDirectory: string, repositories: { name: string, directory: string | null }[], environment: Record<string, string | undefined> }} Engine
 * `directory` is null for a repository on another machine or in an object store.
 */

/**
 * The engine's settings. Throws an Error that says what is missing.
 * @param {Record<string, string | undefined>} environment
 * @returns {Engine}
 */
export function readEngine(environment) {
  const file = environment.PGBACKREST_CONFIG ?? CONFIG_FILES.find((one) => fs.existsSync(one));
  const sections = file === undefined ? {} : readSections(fs.readFileSync(file, 'utf8'));
  const stanzas = Object.keys(sections).filter((name) => !/^global(?::|$)/.test(name) && !name.includes(':'));
  const stanza = environment.PGBACKREST_STANZA ?? (stanzas.length === 1 ? stanzas[0] : undefined);
  if (!stanza)
    throw new Error(
      'Which stanza is backed up? Configure pgBackRest (docs/operate/backup.md), or set PGBACKREST_STANZA.',
    );
  const option = (name) =>
    environment[`PGBACKREST_${name.toUpperCase().replaceAll('-', '_')}`] ??
    sections[stanza]?.[name] ??
    sections.global?.[name];
  const dataDirectory = option('pg1-path');
  if (!dataDirectory)
    throw new Error(`pgBackRest has no pg1-path for the stanza "${stanza}": the data directory of PostgreSQL.`);
  const repositories = [];
  for (let n = 1; n <= MOST_REPOSITORIES; n++) {
    const directory = option(`repo${n}-path`);
    const isElsewhere = option(`repo${n}-host`) !== undefined || !ON_DISK.includes(option(`repo${n}-type`) ?? 'posix');
    if (directory || isElsewhere) repositories.push({ name: `repo${n}`, directory: isElsewhere ? null : directory });
  }
  if (repositories.length === 0) throw new Error('pgBackRest has no repository: set repo1-path.');
  return { stanza, dataDirectory, repositories, environment };
}

/** Sections of `name=value` lines, as in pgbackrest.conf. */
function readSections(text) {
  const sections = {};
  let section = {};
  for (const line of text.split('\n').map((one) => one.trim())) {
    const [, name] = /^\[(.+)\]$/.exec(line) ?? [];
    if (name) section = sections[name] ??= {};
    const [, key, value] = /^([a-z0-9-]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (key) section[key] = value;
  }
  return sections;
}

/**
 * Throws an Error when a repository and one of these directories are inside each other: what loses the data would lose the
 * backup too.
 * @param {Engine} engine
 * @param {(string | null)[]} directories
 */
export function refuseOverlap({ repositories }, directories) {
  for (const { name, directory } of repositories) {
    if (directory === null) continue;
    for (const other of directories) {
      if (other === null || !(isInside(directory, other) || isInside(other, directory))) continue;
      throw new Error(
        `${name} of pgBackRest (${directory}) and ${other} are inside each other: a backup belongs on another disk.`,
      );
    }
  }
}

/** Whether a path is a directory or inside it; links are followed as far as the path exists. */
export function isInside(inner, outer) {
  const way = path.relative(realPath(outer), realPath(inner));
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way));
}

function realPath(target) {
  const at = path.resolve(target);
  if (fs.existsSync(at)) return fs.realpathSync(at);
  return at === path.dirname(at) ? at : path.join(realPath(path.dirname(at)), path.basename(at));
}

/**
 * The user and group that own PostgreSQL's files, for a process that runs as root; otherwise nothing.
 * @param {Engine} engine
 * @returns {{ uid?: number, gid?: number }}
 */
export function ownerOf({ dataDirectory }) {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = fs.statSync(dataDirectory);
  return { uid, gid };
}

/**
 * Runs a command of pgBackRest and returns what it prints. Throws an Error with its own words when it fails.
 * @param {Engine} engine
 * @param {string[]} words
 * @returns {Promise<string>}
 */
export function runEngine(engine, words) {
  const quiet = ['--log-level-console=off', '--log-level-stderr=warn'];
  const { stanza, environment } = engine;
  return new Promise((resolve, reject) => {
    const child = spawn('pgbackrest', [`--stanza=${stanza}`, ...quiet, ...words], {
      ...ownerOf(engine),
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { out: '', error: '' };
    child.stdout.on('data', (chunk) => (said.out += chunk));
    child.stderr.on('data', (chunk) => (said.error += chunk));
    child.once('error', (error) =>
      reject(error.code === 'ENOENT' ? new Error('pgBackRest is not installed (docs/operate/backup.md).') : error),
    );
    child.once('close', (code) =>
      code === 0 ? resolve(said.out) : reject(new Error(`pgbackrest ${words[0]} failed:\n${said.error.trim()}`)),
    );
  });
}

/**
 * The newest backup in any repository, or null.
 * @param {Engine} engine
 */
export async function newestBackup(engine) {
  const [found] = JSON.parse(await runEngine(engine, ['info', '--output=json']));
  const backup = found?.backup?.toSorted((one, other) => one.timestamp.stop - other.timestamp.stop).at(-1);
  if (!backup) return null;
  const repository = found.repo.find(({ key }) => key === backup.database['repo-key']);
  return {
    label: backup.label,
    type: { full: 'full', diff: 'differential', incr: 'incremental' }[backup.type],
    started_at: new Date(backup.timestamp.start * 1000).toISOString(),
    stopped_at: new Date(backup.timestamp.stop * 1000).toISOString(),
    database_bytes: backup.info.size,
    /** Null where the repository does not tell, as with block backups. */
    added_bytes: backup.info.repository?.delta ?? null,
    wal: { from: backup.archive.start, to: backup.archive.stop },
    encryption: repository?.cipher ?? 'none',
    postgresql: found.db.find(({ id }) => id === backup.database.id)?.version ?? null,
    /** Pages whose checksums do not match, which pgBackRest found while it copied them. */
    has_bad_pages: backup.error === true,
  };
}
