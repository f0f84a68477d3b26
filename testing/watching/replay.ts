// Replays recorded responses over real HTTP on loopback, so that an adapter gets them exactly as from a node.

import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
export type Replay = { readonly url: string; close(): Promise<void> };

/** A server that computes a JSON response from the path and the parsed body. */
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

/** A JSON-RPC error response. */
export class Refusal {
  readonly code: number;
  readonly message: string;
  constructor(code: number, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** The same for JSON-RPC, single calls and batches. Like nodes, it reports an undefined result as an unknown method. */
export function startRpcReplay(result: (method: string, params: readonly unknown[]) => unknown): Promise<Replay> {
  const answer = ({ id, method, params }: Call) => {
    const returned = result(method, params);
    const given = returned === undefined ? new Refusal(-32601, `the method ${method} does not exist`) : returned;
    return given instanceof Refusal
      ? { jsonrpc: '2.0', id, error: { code: given.code, message: given.message } }
      : { jsonrpc: '2.0', id, result: given };
  };
  return startReplay((_path, body) => (Array.isArray(body) ? body.map(answer) : answer(body as Call)));
}
