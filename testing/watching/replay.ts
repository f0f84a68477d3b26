// Replays recorded answers over real HTTP on loopback, so that an adapter meets them exactly as it would meet a node's.

import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
export type Replay = { readonly url: string; close(): Promise<void> };

/** A server whose answer to a request is JSON that follows from its path and its parsed body. */
export async function startReplay(answer: (path: string, body: unknown) => unknown): Promise<Replay> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(request.url ?? '/', text === '' ? {} : JSON.parse(text))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

/** An answer that is a JSON-RPC error. */
export class Refusal {
  readonly code: number;
  readonly message: string;
  constructor(code: number, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** The same for JSON-RPC: single calls and batches. What is undefined is refused as an unknown method, as nodes do. */
export function startRpcReplay(result: (method: string, params: readonly unknown[]) => unknown): Promise<Replay> {
  const answer = ({ id, method, params }: Call) => {
    const asked = result(method, params);
    const given = asked === undefined ? new Refusal(-32601, `the method ${method} does not exist`) : asked;
    return given instanceof Refusal
      ? { jsonrpc: '2.0', id, error: { code: given.code, message: given.message } }
      : { jsonrpc: '2.0', id, result: given };
  };
  return startReplay((_path, body) => (Array.isArray(body) ? body.map(answer) : answer(body as Call)));
}
