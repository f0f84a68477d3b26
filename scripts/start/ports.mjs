// TCP ports of this machine: checks whether a requested port is free.

import { setTimeout as sleep } from 'node:timers/promises';
import net from 'node:net';
import { Refusal } from './refusal.mjs';

/** Processes of a killed supervisor need a moment to notice it and to close their port. */
const LEFTOVER_MS = 15_000;

/**
 * Throws a Refusal when the port cannot be listened on. With `patient` it first waits for the port to become free.
 * @param {{ host: string, port: number, patient: boolean }} options
 */
export async function checkPort({ host, port, patient }) {
  const until = Date.now() + (patient ? LEFTOVER_MS : 0);
  for (;;) {
    const code = await tryToListen(host, port);
    if (code === null) return;
    if (code === 'EADDRINUSE' && Date.now() < until) await sleep(200);
    else if (code === 'EADDRINUSE')
      throw new Refusal(
        `Port ${port} of ${host} is in use: end the other program, or choose another with PORT=${port + 1}.`,
      );
    else throw new Refusal(`Port ${port} of ${host} cannot be listened on (${code}): choose another PORT or HOST.`);
  }
}

function tryToListen(host, port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
