// A proxy in front of a real node that refuses some calls before or after the node sees them, or changes its answers.

import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
/** A JSON-RPC error. */
type RefusedCall = { readonly code: number; readonly message: string };
export type Rules = {
  /** The error instead of the call; null lets it through. */
  readonly refuse?: (call: Call) => RefusedCall | null;
  /** The error after the node took the call; null passes its answer on. */
  readonly lose?: (call: Call) => RefusedCall | null;
  /** The result in place of the node's. */
  readonly change?: (call: Call, result: unknown) => unknown;
};

/** Starts one on a free loopback port. */
export async function startRefusingEndpoint(
  target: string,
  rules: Rules,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const answer = async (call: Call): Promise<object> => {
    const error = rules.refuse?.(call);
    if (error) return { jsonrpc: '2.0', id: call.id, error };
    const headers = { 'content-type': 'application/json' };
    const given = await fetch(target, { method: 'POST', headers, body: JSON.stringify(call) });
    const own = (await given.json()) as { result?: unknown };
    const lost = rules.lose?.(call);
    if (lost) return { jsonrpc: '2.0', id: call.id, error: lost };
    return 'result' in own && rules.change ? { ...own, result: rules.change(call, own.result) } : own;
  };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[];
      const answers = Array.isArray(calls) ? Promise.all(calls.map(answer)) : answer(calls);
      answers.then(
        (value) => response.end(JSON.stringify(value)),
        () => response.destroy(),
      );
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
