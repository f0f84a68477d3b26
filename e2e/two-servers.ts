// The two ways to serve the sandbox's installation side by side: server.ts, which answers the API itself, and plain `next start`.
// Both trust the proxy at 127.0.0.2 and limit every address but this machine's own.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATA_DIRECTORY, ROOT } from './http-client';

export const PROXY = '127.0.0.2';
/** Requests to pages that an address may send at once. */
export const BURST = 4;
const SETTINGS = {
  TRUSTED_PROXIES: `${PROXY}/32`,
  LIMIT_LOOPBACK: 'off',
  PAGE_BURST: String(BURST),
  PAGE_RATE: '1',
  DATABASE_POOL: '4',
};
const READY_MILLISECONDS = 90_000;

export type Server = { readonly name: string; readonly origin: string };
export type Sent = {
  readonly method?: string;
  readonly path: string;
  /** Pairs, because a header may be sent twice. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  /** The address of this machine that the connection comes from. */
  readonly from?: string;
};
export type Received = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

/** `close` ends both. */
export async function startServers() {
  const children: ChildProcess[] = [];
  const start = async (name: string, args: readonly string[]): Promise<Server> => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const env = { ...process.env, ...SETTINGS, DATA_DIR: DATA_DIRECTORY, PORT: String(port), PUBLIC_URL: origin };
    const program = path.join(ROOT, 'scripts/next-start.mjs');
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    children.push(child);
    await ready(origin, child);
    return { name, origin };
  };
  const close = async (): Promise<void> => {
    const running = children.filter((child) => child.exitCode === null);
    const ended = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(ended);
  };
  try {
    const [plain, direct] = await Promise.all([start('next start', []), start('server.ts', ['--direct'])]);
    return { plain, direct, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ready(origin: string, child: ChildProcess): Promise<void> {
  for (const end = Date.now() + READY_MILLISECONDS; Date.now() < end; await sleep(100)) {
    if (child.exitCode !== null) throw new Error(`the server at ${origin} ended with ${child.exitCode}`);
    const answer = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(5000) }).catch(() => null);
    if (answer?.ok) return;
  }
  throw new Error(`the server at ${origin} does not answer`);
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Sends a request exactly as written, on its own connection. */
export function send({ origin }: Server, sent: Sent): Promise<Received> {
  const { hostname, port, host } = new URL(origin);
  const { method = 'GET', path: at, headers = [], body = '', from = '127.0.0.1' } = sent;
  const isChunked = headers.some(([name]) => name === 'Transfer-Encoding');
  const length = body === '' || isChunked ? [] : (['Content-Length', String(Buffer.byteLength(body))] as const);
  return new Promise((resolve, reject) => {
    const all = ['Host', host, ...length, ...headers.flat()];
    const request = http.request(
      { hostname, port, localAddress: from, path: at, method, headers: all, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() }),
        );
      },
    );
    let isAnswered = false;
    request.once('response', () => (isAnswered = true));
    // A server that refuses a body may close while the rest is still being sent.
    request.on('error', (error) => (isAnswered ? undefined : reject(error)));
    request.end(body);
  });
}
