// Forms of the sandbox's own pages: reading one, refusing those of other sites, and the redirect after one.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, Refusal } from './http';
import { text } from './shop/text';

const LARGEST_FORM = 4096;

/** A form of another site could act in the visitor's name, so only our own pages are accepted. */
export function refuseForeign({ headers }: IncomingMessage, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const own = site === undefined ? headers.origin === publicUrl : site === 'same-origin';
  if (!own) throw new Refusal(403, text('fault.foreign'));
}

export const readForm = async (request: IncomingMessage): Promise<URLSearchParams> =>
  new URLSearchParams((await readBody(request, LARGEST_FORM)).toString('utf8'));

export function seeOther(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store' });
  response.end();
}
