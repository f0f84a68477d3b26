// A balancer of TCP connections in front of the web processes, as an operator has one: it asks each for /readyz, gives a new connection to
// the next one that is ready, and never tries a second one. So a process that ends without a word costs requests here.

import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const CHECK_EVERY_MS = 500;
const CHECK_LIMIT_MS = 2000;
/** A 503 counts at once; a check that a busy machine answers late does not. */
const FAILS_UNTIL_OUT = 3;
const READY_LIMIT_MS = 120_000;

export class Balancer {
  /** Connections that no process took, as lines. */
  refused = [];
  /** By the name of the process: { url, port, isReady, fails }. */
  #processes = new Map();
  #turn = 0;
  #server = net.createServer((client) => this.#connect(client));
  #sockets = new Set();

  /** Resolves to the balancer's address. */
  async open() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  close() {
    this.#processes.clear();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on asks this process too. Resolves once it is ready. */
  async add(name, url) {
    const one = { url, port: Number(new URL(url).port), isReady: false, fails: 0 };
    this.#processes.set(name, one);
    void this.#watch(name, one);
    for (const end = Date.now() + READY_LIMIT_MS; !one.isReady; await sleep(100))
      if (Date.now() > end) throw new Error(`${name} was not ready within ${READY_LIMIT_MS / 1000} s`);
  }

  /** Gives it no new connection; those that are open stay. */
  remove(name) {
    this.#processes.delete(name);
  }

  async #watch(name, one) {
    while (this.#processes.get(name) === one) {
      const status = await fetch(`${one.url}/readyz`, { signal: AbortSignal.timeout(CHECK_LIMIT_MS) }).then(
        (answer) => answer.status,
        () => 0,
      );
      one.fails = status === 200 ? 0 : one.fails + 1;
      if (status === 200) one.isReady = true;
      if (status === 503 || one.fails >= FAILS_UNTIL_OUT) one.isReady = false;
      await sleep(CHECK_EVERY_MS);
    }
  }

  #connect(client) {
    client.on('error', () => {});
    const ready = [...this.#processes].filter(([, { isReady }]) => isReady);
    if (ready.length === 0) {
      this.refused.push('no process was ready');
      return client.destroy();
    }
    const [name, { port }] = ready[this.#turn++ % ready.length];
    const process = net.connect(port, '127.0.0.1', () => client.pipe(process).pipe(client));
    for (const socket of [client, process]) {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    }
    process.once('error', (error) => {
      if (error.code === 'ECONNREFUSED') this.refused.push(`${name} took no connection`);
      client.destroy();
    });
    client.once('close', () => process.destroy());
  }
}
