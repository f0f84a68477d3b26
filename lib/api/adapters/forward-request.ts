// Forwards a request to another process of this machine, and its response back, unchanged. If one side disconnects, the other is
// disconnected too.

import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';

export type ForwardTarget = {
  readonly hostname: string;
  readonly port: number | string;
  /** Keeps connections open for further requests. Without it each request opens its own. */
  readonly agent?: http.Agent;
  /** Set on the request, replacing what the caller sent under these names. */
  readonly headers?: OutgoingHttpHeaders;
};

/** Hop-by-hop headers, which belong to one connection and not to the message (RFC 9110, 7.6.1). */
const OF_THE_CONNECTION = ['connection', 'keep-alive'];
/**
 * A response also drops its framing header, because the caller may speak HTTP/1.0. A request keeps it, because its body would
 * have no end otherwise.
 */
const OF_THE_ANSWER = [...OF_THE_CONNECTION, 'transfer-encoding'];

/** Resolves when the exchange has ended, successfully or not. Responds with 502 when no process listens there. */
export function forwardRequest(
  target: ForwardTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { hostname, port, agent, headers = {} } = target;
  // A caller that left while the request was checked would not be noticed below.
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const passed = http.request({
      hostname,
      port,
      method: request.method,
      path: request.url,
      headers: { ...without(OF_THE_CONNECTION, request.headers), ...headers },
      agent: agent ?? false,
    });
    passed.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, without(OF_THE_ANSWER, answer.headers));
      answer.pipe(response);
      // A truncated response must not look complete.
      answer.once('error', () => response.destroy());
      answer.once('aborted', () => response.destroy());
    });
    // The sandbox's receiver also cuts connections on purpose. Then this side must not respond either.
    passed.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && !response.headersSent) response.writeHead(502).end();
      else response.destroy();
    });
    passed.once('close', resolve);
    response.once('close', () => passed.destroy());
    request.pipe(passed);
  });
}

const without = (names: readonly string[], headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
