// A proxy in front of a real node that changes some of its responses, to test the effect of a lying or broken endpoint on a
// payment.

import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The replacement response; `method` is a JSON-RPC method, or the path of a TRON request. */
export type Lie = (method: string, result: unknown, params: unknown) => unknown;

/** If returned as the response, it becomes a JSON-RPC error. */
export class Refusal {
  readonly error: { readonly code: number; readonly message: string };
  constructor(error: { readonly code: number; readonly message: string }) {
    this.error = error;
  }
}

type RpcBody = { readonly id: number; readonly method: string; readonly params: unknown };

/** Starts one on a free loopback port. */
export async function startLyingEndpoint(
  target: string,
  lie: Lie,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void answer(target, request.url ?? '/', Buffer.concat(parts).toString(), lie).then((text) => response.end(text));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, stop };
}

async function answer(target: string, path: string, body: string, lie: Lie): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const given = await fetch(target + (path === '/' ? '' : path), { method: 'POST', headers, body });
  const reported = (await given.json()) as unknown;
  const request = JSON.parse(body) as RpcBody | RpcBody[];
  if (path !== '/') return JSON.stringify(lie(path.slice(1), reported, request));
  const change = (one: RpcBody, own: { result?: unknown }) => {
    if (!('result' in own)) return own;
    const result = lie(one.method, own.result, one.params);
    return result instanceof Refusal ? { jsonrpc: '2.0', id: one.id, error: result.error } : { ...own, result };
  };
  if (!Array.isArray(request)) return JSON.stringify(change(request, reported as object));
  const answers = reported as { id: number; result?: unknown }[];
  return JSON.stringify(request.map((one) => change(one, answers.find(({ id }) => id === one.id) ?? {})));
}
