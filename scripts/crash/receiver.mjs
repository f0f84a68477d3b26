// The merchants' webhook receiver. It stays up while the product is killed, as on another machine, and stores all
// deliveries. It sometimes answers 500, as real receivers do.

import http from 'node:http';

/** Rejects one in this many deliveries at first. */
const REFUSED_IN = 10;

/** @param {() => number} random answers at least 0 and less than 1 */
export async function openReceiver(random) {
  /** @type {{ path: string, headers: Record<string, any>, body: Buffer, answered: number }[]} */
  const received = [];
  let isDown = false;
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const answered = isDown ? 503 : random() * REFUSED_IN < 1 ? 500 : 200;
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks), answered });
      response.writeHead(answered).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const url = `http://127.0.0.1:${server.address().port}`;
  /** All deliveries for a session, rejected or not. */
  const about = (id) => received.filter((one) => one.body.includes(id));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  /** While it is down, it answers every delivery with 503. */
  const setDown = (down) => (isDown = down);
  return { url, about, close, setDown, count: () => received.length, all: () => received };
}
