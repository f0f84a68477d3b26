#!/usr/bin/env node
// The health check of a container: `node scripts/image/health.mjs web|worker|signer`. Exits with 0 when the process beside it works.

import fs from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 4000;
const { PORT = '3000', SIGNER_SOCKET = '' } = process.env;

const checks = {
  /** The web process answers only when the database does. */
  web: async () => (await fetch(`http://127.0.0.1:${PORT}/health`)).ok,
  /** The signer accepts connections once its keystore is open. A signer on a machine of its own listens with TLS, at a host and port. */
  signer: () => {
    const remote = SIGNER_SOCKET.startsWith('tls:') ? new URL(SIGNER_SOCKET) : null;
    return accepts(remote ? { host: remote.hostname, port: Number(remote.port) } : { path: SIGNER_SOCKET });
  },
  /** The worker is process 1 of its container, and holds connections to the database while its steps run. */
  worker: () => fs.readFileSync('/proc/1/cmdline', 'utf8').includes('worker') && hasConnection(),
};

function accepts(address) {
  return new Promise((resolve) => {
    const socket = net.connect(address, () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}

/** Whether a TCP connection of this container is established: its line has the state 01. */
function hasConnection() {
  const files = ['/proc/1/net/tcp', '/proc/1/net/tcp6'].filter((file) => fs.existsSync(file));
  return files.some((file) => /^ *\d+: \S+ \S+ 01 /m.test(fs.readFileSync(file, 'utf8')));
}

const check = checks[process.argv[2] ?? ''];
if (!check) throw new Error('Name the process: web, worker or signer.');
const isHealthy = await Promise.race([Promise.resolve().then(check), sleep(LIMIT_MS, false)]).catch(() => false);
process.exit(isHealthy ? 0 : 1);
