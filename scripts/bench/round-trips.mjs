// Counts round trips between a server and PostgreSQL exactly. A proxy parses the protocol and counts the ReadyForQuery
// messages, which end every round trip and nothing else.

import net from 'node:net';

const READY_FOR_QUERY = 'Z'.charCodeAt(0);
/** One byte of type and four of length. */
const HEADER_BYTES = 5;

/**
 * Listens on a free port in front of the database. `count()` is the number of round trips; each connection costs one.
 * @param {string} databaseUrl
 */
export async function openCountingProxy(databaseUrl) {
  const target = new URL(databaseUrl);
  let count = 0;
  const sockets = new Set();
  const server = net.createServer((client) => {
    const database = net.connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.setNoDelay(true);
    client.pipe(database).pipe(client);
    database.on(
      'data',
      countMessages((type) => (count += type === READY_FOR_QUERY ? 1 : 0)),
    );
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => [client, database].forEach((one) => one.destroy()));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const url = new URL(databaseUrl);
  url.port = String(server.address().port);
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, count: () => count, close };
}

/** Parses the stream of messages and reports the type of each, wherever the chunks are split. */
export function countMessages(report) {
  let held = Buffer.alloc(0);
  let skip = 0;
  return (chunk) => {
    let bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    for (;;) {
      const skipped = Math.min(skip, bytes.length);
      bytes = bytes.subarray(skipped);
      skip -= skipped;
      if (bytes.length < HEADER_BYTES) break;
      report(bytes[0]);
      skip = 1 + bytes.readUInt32BE(1);
    }
    held = Buffer.from(bytes);
  };
}
