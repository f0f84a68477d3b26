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

/** The same for JSON-RPC: single calls and batches. An unknown method is answered as nodes do. */
export function startRpcReplay(result: (method: string, params: readonly unknown[]) => unknown): Promise<Replay> {
  const answer = ({ id, method, params }: Call) => {
    const given = result(method, params);
    if (given !== undefined) return { jsonrpc: '2.0', id, result: given };
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `the method ${method} does not exist` } };
  };
  return startReplay((_path, body) => (Array.isArray(body) ? body.map(answer) : answer(body as Call)));
}
