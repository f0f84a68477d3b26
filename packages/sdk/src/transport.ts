// One call to the API: signed, sent, read, and retried if that is safe, each time with a new timestamp, nonce and signature. The
// secret is kept as a key that cannot be exported.

import { readAnswer, type Answer } from './answer';
import { ConnectionError, TimeoutError, type StabletillError } from './errors';
import {
  readOptions,
  readRetries,
  readTimeout,
  type CallOptions,
  type Settings,
  type StabletillOptions,
} from './options';
import { PLATFORM, type Platform } from './platform';
import { secondsOf, waitBeforeRetry, type Repeatable } from './retry';
import { messageSignature } from './message-signature';
import { openMac, signString, toHex, type Mac } from './signature';

/** Sent as the user agent: the package's version. */
export const VERSION = '0.1.0';

export type Call = {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, including the query. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly repeatable: Repeatable;
};

type Outcome = { readonly value: object } | { readonly error: StabletillError; readonly answer: Answer | null };

const encoder = new TextEncoder();

export class Transport {
  readonly #settings: Omit<Settings, 'apiSecret'>;
  readonly #platform: Platform;
  /** Created by the first call. */
  readonly #mac: () => Promise<Mac>;

  /** Throws TypeError for invalid options. */
  constructor(options: StabletillOptions, platform: Platform = PLATFORM) {
    const { apiSecret, ...settings } = readOptions(options);
    this.#settings = settings;
    this.#platform = platform;
    let opened: Promise<Mac> | null = null;
    this.#mac = () => (opened ??= openMac(apiSecret));
  }

  /** The JSON object of the service's answer. Throws StabletillError, or the reason of an aborted signal. */
  async call(call: Call, { signal, ...options }: CallOptions = {}): Promise<object> {
    const timeoutMs = readTimeout(options.timeoutMs) ?? this.#settings.timeoutMs;
    const maxRetries = readRetries(options.maxRetries) ?? this.#settings.maxRetries;
    for (let failed = 1; ; failed++) {
      signal?.throwIfAborted();
      const outcome = await this.#attempt(call, { signal, timeoutMs });
      if ('value' in outcome) return outcome.value;
      const { error, answer } = outcome;
      const { status, retryAfter } = answer ?? { status: null, retryAfter: null };
      const failure = { status, retryAfter, code: error.code };
      const chance = this.#platform.chance();
      const wait =
        failed > maxRetries ? null : waitBeforeRetry(failure, { repeatable: call.repeatable, failed, chance });
      if (wait === null) throw error;
      await this.#platform.wait(wait, signal);
    }
  }

  async #attempt(
    call: Call,
    { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number },
  ): Promise<Outcome> {
    const what = `${call.method} ${call.path.replace(/\?.*/, '')}`;
    const request = await this.#request(call);
    const limit = new AbortController();
    const end = () => limit.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    try {
      const { fetch, now } = this.#settings;
      const response = await fetch(this.#url(call), { ...request, signal: limit.signal });
      const answer = {
        status: response.status,
        text: await response.text(),
        requestId: response.headers.get('x-request-id'),
        retryAfter: secondsOf(response.headers.get('retry-after'), now()),
      };
      const read = readAnswer(answer, what);
      return 'value' in read ? read : { ...read, answer };
    } catch (cause) {
      signal?.throwIfAborted();
      return { error: isLate ? lateError(what, timeoutMs) : connectionError(what, cause), answer: null };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  #url({ path }: Call): string {
    return `${this.#settings.baseUrl}${path}`;
  }

  async #request(call: Call): Promise<RequestInit> {
    const { method, body, idempotencyKey } = call;
    const { apiKey, version } = this.#settings;
    const text = body === undefined ? '' : JSON.stringify(body);
    return {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': `stabletill-sdk/${VERSION}`,
        ...(await this.#signature(call, encoder.encode(text))),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(version === null ? {} : { 'service-version': version }),
      },
      // Following a redirect would send the signed request to an arbitrary host. Not every runtime supports 'error'.
      redirect: 'manual',
      ...(method === 'POST' ? { body: text } : {}),
    };
  }

  async #signature(call: Call, body: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
    const { apiKey, signatureVersion, now } = this.#settings;
    const timestamp = String(Math.floor(now() / 1000));
    const nonce = crypto.randomUUID();
    const mac = await this.#mac();
    if (signatureVersion === 2) {
      return messageSignature(mac, { apiKey, method: call.method, url: this.#url(call), body, timestamp, nonce });
    }
    return {
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': toHex(await mac(signString({ timestamp, nonce, body }))),
    };
  }
}

const UNKNOWN = 'it may have been carried out nevertheless';

function lateError(what: string, timeoutMs: number): TimeoutError {
  const message = `${what} was not answered within ${timeoutMs} ms; ${UNKNOWN}.`;
  return new TimeoutError({ message, code: 'timeout', type: 'connection_error' });
}

function connectionError(what: string, cause: unknown): ConnectionError {
  const message = `${what} got no answer: the service could not be reached or the connection broke; ${UNKNOWN}.`;
  return new ConnectionError({ message, code: 'connection_failed', type: 'connection_error', cause });
}
