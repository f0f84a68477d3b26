// Graceful shutdown of a server (O-05): it accepts no new connection, finishes requests in progress, and cuts off those
// that exceed the timeout.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** How soon a connection is closed after its last response. Its client might keep it open for minutes. */
const SWEEP_MILLISECONDS = 50;
/** Well below the time that supervisors wait before they kill a process. */
const DRAIN_MILLISECONDS = 10_000;

/**
 * From now on each connection ends with the response to its next request, while new ones are accepted. A client that learns from the
 * response that its connection ends sends no request into a connection that closes at that moment.
 */
export function endConnections(server: Server): void {
  server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
}

/** Resolves when the last connection is closed, at the latest after the given time. */
export async function drained(server: Server, milliseconds = DRAIN_MILLISECONDS): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MILLISECONDS);
  const late = setTimeout(() => server.closeAllConnections(), milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(late);
}
