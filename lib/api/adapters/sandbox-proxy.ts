// In a sandbox the demo shop and the webhook receiver are another process on this machine; their paths are passed on to it
// unchanged. Where no sandbox is configured these paths do not exist.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { passOn } from './pass-on';

const PREFIXES = ['/sandbox', '/shop'];

/** The mails of the sandbox are in the database and shown by a page of the product. */
const MAIL_PAGE = '/sandbox/mail';

export const isSandboxPath = (path: string): boolean =>
  path !== MAIL_PAGE &&
  !path.startsWith(`${MAIL_PAGE}/`) &&
  PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

/** Passes a request on to the sandbox process at this origin. */
export function passToSandbox(origin: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { hostname, port } = new URL(origin);
  return passOn({ hostname, port }, request, response);
}
