// A merchant's webhook receiver on this machine: keeps received requests byte for byte, and responds as the test says.
// Its signature check is written from the specification and shares no code with the sender.

import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Received = {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  /** Names and values alternating, as received. */
  readonly rawHeaders: string[];
  readonly body: Buffer;
};

/** The response to the n-th call (from 0). A number is a status without a body; `hang` never responds; `close` cuts. */
export type Behaviour = (
  n: number,
  call: Received,
) => number | 'hang' | 'close' | ((answer: http.ServerResponse) => void);

export type Receiver = { url: string; received: Received[]; close: () => Promise<void>; connections: () => number };

export async function openReceiver(behave: Behaviour = () => 200): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { headers, rawHeaders, method = '', url = '' } = request;
    const call = { at: Date.now(), method, path: url, headers, rawHeaders, body: Buffer.concat(chunks) };
    const how = behave(received.push(call) - 1, call);
    if (how === 'close') request.socket.destroy();
    else if (typeof how === 'number') response.writeHead(how).end();
    else if (how !== 'hang') how(response);
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, close, connections: () => connections };
}

/** The specification's check (docs/contract.md#6-events), against one header of the call. */
export function verifies({ headers, body }: Received, secret: string, header = 'x-service-signature'): boolean {
  const hmac = createHmac('sha256', secret);
  hmac.update(
    Buffer.concat([
      Buffer.from(`${String(headers['x-service-timestamp'])}.`),
      Buffer.from(`${String(headers['x-service-nonce'])}.`),
      body,
    ]),
  );
  return hmac.digest('hex') === headers[header];
}

/** Polls every 10 ms until there is a value; throws after the given time. */
export async function eventually<T>(read: () => T | Promise<T>, milliseconds = 10_000): Promise<NonNullable<T>> {
  const until = Date.now() + milliseconds;
  for (;;) {
    const found = await read();
    if (found) return found;
    if (Date.now() > until) throw new Error(`nothing came within ${milliseconds} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
