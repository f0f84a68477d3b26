// The webhook receiver's HTTP routes: accepts deliveries for any store, lists them, and misbehaves as configured. The paths are
// the same here as on the product's own port, which forwards them unchanged.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ZodError } from 'zod';
import type { Clock } from '@/lib/platform/clock';
import { Behaviour, type Answer } from './behaviour';
import { Inbox, type Received } from './inbox';
import { readBody, readJson, Refusal, sendJson, type Exchange } from '../http';

export const RECEIVER_PATH = '/sandbox/webhooks';
/** Far above any of our events. Together with the number of kept deliveries it bounds the memory. */
const LARGEST_DELIVERY = 65_536;
/** No test needs a thousand responses of the longest texts. */
const LARGEST_ORDER = 4 * 1024 * 1024;
const ACKNOWLEDGED = JSON.stringify({ received: true });
/** Statuses whose responses have no body by definition. */
const BODILESS = new Set([204, 205, 304]);
const DOWN: Answer = { status: 503 };

export class Receiver {
  readonly inbox = new Inbox();
  readonly #behaviour = new Behaviour();
  readonly #clock: Clock;
  /** Whether every delivery is answered with 503, as by a server behind a proxy that is down. */
  isDown = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Serves `/sandbox/webhooks` and everything below it. */
  async serve({ request, response, url }: Exchange): Promise<void> {
    const rest = url.pathname.slice(RECEIVER_PATH.length + 1);
    if (rest === '') return this.#list(request, response, url);
    if (rest === 'behaviour') return this.#takeOrder(request, response);
    if (!/^[\w-]{1,64}$/.test(rest)) throw new Refusal(404, 'no store has this address');
    await this.#receive(rest, request, response);
  }

  #list(request: IncomingMessage, response: ServerResponse, url: URL): void {
    if (request.method !== 'GET') throw new Refusal(405, 'the list of deliveries is read with GET');
    const wanted = { contains: url.searchParams.get('contains'), storeId: url.searchParams.get('store_id') };
    sendJson(response, 200, { received: this.inbox.find(wanted).map(viewOf) });
  }

  async #takeOrder(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') throw new Refusal(405, 'the behaviour is set with POST');
    const posted = await readJson(request, LARGEST_ORDER);
    try {
      sendJson(response, 200, { rules: this.#behaviour.obey(posted) });
    } catch (error) {
      if (!(error instanceof ZodError)) throw error;
      throw new Refusal(400, error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    }
  }

  async #receive(storeId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, LARGEST_DELIVERY);
    const entry = this.inbox.add({
      storeId,
      receivedAt: this.#clock.now().getTime(),
      method: request.method ?? '',
      path: request.url ?? '',
      headers: headersOf(request),
      body,
    });
    await giveAnswer(response, entry, this.isDown ? DOWN : this.#behaviour.answerTo(storeId, body));
  }
}

async function giveAnswer(response: ServerResponse, entry: Received, answer: Answer): Promise<void> {
  if (answer.delay_ms) await waitWhileOpen(response, answer.delay_ms);
  // The sender disconnected and got no response.
  if (response.destroyed || answer.hang) return;
  if (answer.close) {
    response.destroy();
    return;
  }
  const status = answer.status ?? 200;
  const ordinary = status >= 200 && status < 300 && answer.body === undefined;
  const text = ordinary ? ACKNOWLEDGED : (answer.body ?? '');
  response.writeHead(status, { ...(ordinary ? { 'content-type': 'application/json' } : {}), ...answer.headers });
  entry.answered = status;
  response.end(BODILESS.has(status) ? undefined : text);
}

async function waitWhileOpen(response: ServerResponse, ms: number): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  await sleep(ms, undefined, { signal: gone.signal, ref: false }).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  response.off('close', leave);
}

/** Read from the raw list, because Node drops repetitions of some headers. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [(rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? ''];
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

const viewOf = ({ seq, storeId, receivedAt, method, path, headers, body, answered }: Received) => ({
  seq,
  store_id: storeId,
  received_at: receivedAt,
  method,
  path,
  headers,
  body_base64: body.toString('base64'),
  body: body.toString('utf8'),
  answered,
});
