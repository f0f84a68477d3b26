// A free TCP port for a server that may restart on it. It lies below the ports for outgoing connections (32768 on
// Linux, 49152 elsewhere). While the server is down, any connection can take one of those. Even a client that tries to
// reach the server can connect to itself.

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
