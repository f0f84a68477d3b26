// In a sandbox the demo shop and the webhook receiver are another process on this machine; their paths are passed on to it
// unchanged. Where no sandbox is configured these paths do not exist.

import http, { type IncomingMessage, type ServerResponse } from 'node:http';

const PREFIXES = ['/sandbox', '/shop'];

export const isSandboxPath = (path: string): boolean =>
  PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

/** Passes a request on and its answer back; either side that goes away ends the other. */
export function passToSandbox(origin: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const passed = http.request({
      hostname,
      port,
      method: request.method,
      path: request.url,
      headers: request.headers,
      agent: false,
    });
    passed.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    // The receiver also cuts connections on purpose: then nothing may be answered here either.
    passed.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && !response.headersSent) response.writeHead(502).end();
      else response.destroy();
    });
    passed.once('close', resolve);
    response.once('close', () => passed.destroy());
    request.pipe(passed);
  });
}
