// In a sandbox, the demo shop and the webhook receiver run in another process on this machine. Their paths are forwarded to it
// unchanged. Without a configured sandbox these paths do not exist.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardRequest } from './forward-request';

const PREFIXES = ['/sandbox', '/shop'];

/** The sandbox's mails are stored in the database, and a page of the product shows them. */
const MAIL_PAGE = '/sandbox/mail';

export const isSandboxPath = (path: string): boolean =>
  path !== MAIL_PAGE &&
  !path.startsWith(`${MAIL_PAGE}/`) &&
  PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

/** Forwards a request to the sandbox process at this origin. */
export function forwardToSandbox(origin: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { hostname, port } = new URL(origin);
  return forwardRequest({ hostname, port }, request, response);
}
