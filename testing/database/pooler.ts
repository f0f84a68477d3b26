// PgBouncer in transaction mode before the tests' PostgreSQL. It takes turns among its connections to the server, so that two transactions
// of one client run on different ones: what a session would keep is lost at once.

import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '@/scripts/free-port.mjs';

/** Debian puts it where only administrators look. */
const BINARIES = [
  '/usr/sbin/pgbouncer',
  '/usr/bin/pgbouncer',
  '/usr/local/bin/pgbouncer',
  '/opt/homebrew/bin/pgbouncer',
];
const binary = BINARIES.find((file) => fs.existsSync(file));

/** The version, such as `1.18`; null without the program. */
export const poolerVersion = (): number | null => {
  if (binary === undefined) return null;
  const [, version] = /PgBouncer (\d+\.\d+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(version);
};

/** Connections to the server for each role. Fewer than the tests' clients have. */
const SERVER_CONNECTIONS = 4;
const TRIES = 100;

export type Pooler = { readonly urlOf: (direct: string) => string; readonly stop: () => Promise<void> };

/** `users`: the roles that may connect. The server trusts them, as the tests' own does. */
export async function startPooler(server: string, users: readonly string[]): Promise<Pooler> {
  if (binary === undefined) throw new Error('PgBouncer is not installed');
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-pooler-'));
  const port = await freePort();
  const { hostname, port: behind } = new URL(server);
  fs.writeFileSync(path.join(directory, 'users.txt'), users.map((user) => `"${user}" ""\n`).join(''));
  fs.writeFileSync(
    path.join(directory, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${behind}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${directory}/users.txt
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
server_round_robin = 1
max_client_conn = 300
`,
  );
  fs.chmodSync(directory, 0o755);
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(binary, [...asUser, path.join(directory, 'pgbouncer.ini')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const urlOf = (direct: string): string => {
    const url = new URL(direct);
    [url.hostname, url.port] = ['127.0.0.1', String(port)];
    return url.href;
  };
  await untilAnswering(urlOf(server));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    fs.rmSync(directory, { recursive: true, force: true });
  };
  return { urlOf, stop };
}

async function untilAnswering(url: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => {});
    }
  }
}
