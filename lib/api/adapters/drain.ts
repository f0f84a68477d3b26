// How a server ends (hardening O-05): nobody new is let in, who is being answered is answered, and who takes too long is cut off.

import type { Server } from 'node:http';

/** How soon a connection is let go whose last request was answered; its client might keep it for minutes. */
const SWEEP_MILLISECONDS = 50;
/** Well below what supervisors wait before they kill. */
const DRAIN_MILLISECONDS = 10_000;

/** Resolves when the last connection is gone, at the latest after the time given. */
export async function drained(server: Server, milliseconds = DRAIN_MILLISECONDS): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MILLISECONDS);
  const late = setTimeout(() => server.closeAllConnections(), milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(late);
}
