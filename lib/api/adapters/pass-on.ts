// Passes a request on to another process of this machine and its answer back, unchanged. Either side that goes away ends the
// other.

import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';

export type PassTarget = {
  readonly hostname: string;
  readonly port: number | string;
  /** Keeps connections for further requests; without it each has its own. */
  readonly agent?: http.Agent;
  /** Set on the request, in place of what the caller sent under these names. */
  readonly headers?: OutgoingHttpHeaders;
};

/** What belongs to one connection and not to the message (RFC 9110, 7.6.1). */
const OF_THE_CONNECTION = ['connection', 'keep-alive'];
/** Of an answer also how it is framed: the caller may speak HTTP/1.0. Of a request it stays, or its body would have no end. */
const OF_THE_ANSWER = [...OF_THE_CONNECTION, 'transfer-encoding'];

/** Resolves when the exchange is over, however it ended. 502 when nobody listens there. */
export function passOn(target: PassTarget, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { hostname, port, agent, headers = {} } = target;
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
      // An answer that is cut off must not look whole.
      answer.once('error', () => response.destroy());
      answer.once('aborted', () => response.destroy());
    });
    // The sandbox's receiver also cuts connections on purpose: then nothing may be answered here either.
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
