// A free TCP port for a server that may be started again on the same one. It lies below the ports that systems hand out to
// outgoing connections (32768 on Linux, 49152 elsewhere): one of those can be taken by any connection while the server is
// away, even by a client that tries to reach the server and meets itself.

import { randomInt } from 'node:crypto';
import net from 'node:net';

const LOWEST = 15_000;
const HIGHEST = 32_000;
const TRIES = 100;

/** A port of this machine that is free now. */
export async function freePort() {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found between ${LOWEST} and ${HIGHEST}`);
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
