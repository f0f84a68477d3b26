// Sends the hosted payment page without the framework's scripts. The server renders the whole page, and its own small script
// makes it interactive (components/checkout/browser). A phone loads a seventh of what it would otherwise.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { OF_THE_PAGE } from '@/lib/payments/checkout/page-script';

/** The hosted page, and the preview of a store's branding, which runs no script at all. */
const SENT_WITHOUT = /^\/(?:pay\/[^/?]+|branding-preview\/[^/?]+\/[^/?]+)(?:\?|$)/;
/** React escapes `<` in any text as an entity, so each match is an element. */
const SCRIPT = /<script\b([^>]*)>[\s\S]*?<\/script>/g;
const SCRIPT_PRELOAD = /<link\b(?=[^>]*\bas="script")[^>]*>/g;
/** A page whose rendering failed is empty except for the scripts that report it. */
const FAILED = 'id="__next_error__"';

/**
 * Delays the first paint until the whole page has been parsed, so that nothing moves when the remainder arrives (HTML, link type
 * "expect"). No element has this id: the end of the page ends the wait. Browsers without support render the page as it arrives.
 */
const SHOWN_WHOLE = '<link rel="expect" href="#end-of-page" blocking="render"/>';

/** Whether a browser requests the page to display it, and not the framework for its own use. */
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

/** Buffers the response until it ends, and then sends it without the framework. */
export function bufferPage(response: ServerResponse): void {
  const chunks: Buffer[] = [];
  const end = response.end.bind(response) as (chunk: Buffer) => unknown;
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
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
    const body = Buffer.concat(chunks);
    const isPage = String(response.getHeader('content-type') ?? '').startsWith('text/html');
    end(isPage ? Buffer.from(withoutFramework(body.toString('utf8'))) : body);
    return response;
  };
}
