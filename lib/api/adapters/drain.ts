// Graceful shutdown of a server (O-05): it accepts no new connection, finishes requests in progress, and cuts off those
// that exceed the timeout.

import type { Server } from 'node:http';

/** How soon a connection is closed after its last response. Its client might keep it open for minutes. */
const SWEEP_MILLISECONDS = 50;
/** Well below the time that supervisors wait before they kill a process. */
const DRAIN_MILLISECONDS = 10_000;

/** Resolves when the last connection is closed, at the latest after the given time. */
export async function drained(server: Server, milliseconds = DRAIN_MILLISECONDS): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MILLISECONDS);
  const late = setTimeout(() => server.closeAllConnections(), milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(late);
}
