// Sends the hosted payment page without the framework's scripts: the page is drawn whole by the server, its own small script
// brings it to life (components/checkout/browser), and a phone loads a seventh of what it would.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { OF_THE_PAGE } from '@/lib/payments/checkout/page-script';

/** The hosted page, and the preview of a store's branding, which runs no script at all. */
const SENT_WITHOUT = /^\/(?:pay\/[^/?]+|look-preview\/[^/?]+\/[^/?]+)(?:\?|$)/;
/** React writes `<` of any text as an entity, so each of these is an element. */
const SCRIPT = /<script\b([^>]*)>[\s\S]*?<\/script>/g;
const SCRIPT_PRELOAD = /<link\b(?=[^>]*\bas="script")[^>]*>/g;
/** A page that failed while it was drawn is empty but for the scripts that say so. */
const FAILED = 'id="__next_error__"';

/**
 * Nothing is shown before the whole page has been read, so that nothing that is shown moves when the rest arrives (HTML, link type
 * "expect"). No element has this name: the end of the page ends the waiting. Browsers that do not know it show the page as it comes.
 */
const SHOWN_WHOLE = '<link rel="expect" href="#end-of-page" blocking="render"/>';

/** Whether it is asked for by a browser that shows it, and not by a page of the framework for its own use. */
export const isSentWithoutFramework = ({ method, url = '', headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && SENT_WITHOUT.test(url) && headers.rsc === undefined;

/** The page with no script but its own. */
export function withoutFramework(html: string): string {
  if (html.includes(FAILED)) return html;
  return html
    .replace(SCRIPT, (script, attributes: string) => (attributes.includes(OF_THE_PAGE) ? script : ''))
    .replace(SCRIPT_PRELOAD, '')
    .replace('<head>', `<head>${SHOWN_WHOLE}`);
}

/** Keeps what is written to the answer until it ends, and then sends it without the framework. */
export function holdForPage(response: ServerResponse): void {
  const held: Buffer[] = [];
  const end = response.end.bind(response) as (chunk: Buffer) => unknown;
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) held.push(Buffer.from(chunk as string));
  };
  response.flushHeaders = () => undefined;
  response.write = (chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    (rest.find((one) => typeof one === 'function') as (() => void) | undefined)?.();
    return true;
  };
  let isOver = false;
  response.end = (...given: unknown[]) => {
    if (isOver) return response;
    isOver = true;
    keep(given[0]);
    const body = Buffer.concat(held);
    const isPage = String(response.getHeader('content-type') ?? '').startsWith('text/html');
    end(isPage ? Buffer.from(withoutFramework(body.toString('utf8'))) : body);
    return response;
  };
}
