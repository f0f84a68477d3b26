// A merchant's server during an outage. It signs its requests and repeats each until it gets a response, with the same
// Idempotency-Key, as the documentation requires. Written from the specification, without code of the product.

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_LIMIT_MS = 5000;
const PAUSE_MS = 250;
/**
 * Long enough for several rounds of kills. On a busy machine a round takes half a minute, with one second in which
 * everything runs. killer.mjs checks after each round how soon the product recovers.
 */
const TIMEOUT_MS = 5 * 60_000;

export class Merchant {
  /**
   * With several addresses each request, and each retry, goes to the next.
   * @param {string | string[]} baseUrl @param {{ api_key: string, api_secret: string, webhook_secret: string }} store
   */
  constructor(baseUrl, store) {
    Object.assign(this, { baseUrls: [baseUrl].flat(), store, sent: 0, repeats: 0, longestWaitMs: 0, faults: [] });
  }

  /** Creates a session exactly once, however often it has to retry. The same `name` is the same session. */
  async create(fields, name = randomUUID()) {
    const body = JSON.stringify({ ...fields, order_id: `crash-${name}` });
    return this.#insist('POST', '/api/v1/checkout/sessions/create', body, { 'Idempotency-Key': name });
  }

  /** The next page of the store's events, oldest first. @param {string | null} cursor of the page before */
  events(cursor) {
    const query = new URLSearchParams({ order: 'asc', limit: '100', ...(cursor === null ? {} : { cursor }) });
    return this.#insist('GET', `/api/v1/events?${query}`, '');
  }

  /** Requests a refund; every retry names the same refund. */
  refund(fields) {
    return this.#insist('POST', '/api/v1/refunds/create', JSON.stringify(fields));
  }

  /** Requests a payout of the store's balance; every retry names the same payout. */
  payOut(fields) {
    return this.#insist('POST', '/api/v1/payouts/create', JSON.stringify(fields));
  }

  /** @param {{ kind: 'refund' | 'payout', name: string }} payment */
  readPayment({ kind, name }) {
    return this.#insist('GET', `/api/v1/${kind}s/${name}`, '');
  }

  /** Sends a refund to a blocked address, with the test helper. False when it was too late. */
  failRefund(refundId) {
    const body = JSON.stringify({ reason: 'planned' });
    return this.#insist('POST', `/api/v1/test_helpers/refunds/${refundId}/fail`, body).then(
      () => true,
      (error) => {
        if (/ answered 4/.test(error.message)) return false;
        throw error;
      },
    );
  }

  /** Calls a test helper of the sandbox. */
  helper(path, fields) {
    return this.#insist('POST', `/api/v1/test_helpers${path}`, JSON.stringify(fields));
  }

  read(id) {
    return this.#insist('GET', `/api/v1/checkout/sessions/${id}`, '');
  }

  /** The public status of a session. */
  status(id) {
    return this.#insist('GET', `/pay/${id}/status`, '', {}, false);
  }

  async #insist(method, path, body, headers = {}, signed = true) {
    const started = Date.now();
    const end = started + TIMEOUT_MS;
    for (let last = 'nothing'; Date.now() < end; this.repeats++, await sleep(PAUSE_MS)) {
      const sent = signed ? { ...headers, ...this.#signature(body) } : headers;
      const init = { method, headers: sent, signal: AbortSignal.timeout(ANSWER_LIMIT_MS), ...(body ? { body } : {}) };
      const answer = await fetch(this.baseUrls[this.sent++ % this.baseUrls.length] + path, init).then(
        whole,
        (error) => ({
          status: 0,
          text: String(error),
        }),
      );
      this.longestWaitMs = Math.max(this.longestWaitMs, Date.now() - started);
      if (answer.status >= 200 && answer.status < 300) return JSON.parse(answer.text);
      last = `${answer.status} ${answer.text}`;
      this.faults.push({ at: Date.now(), status: answer.status, what: `${method} ${path}: ${last.slice(0, 300)}` });
      // Retry only an outage; a refusal would be a fault of this program or of the product.
      if (answer.status !== 0 && answer.status < 500) throw new Error(`${method} ${path} answered ${last}`);
      if (Date.now() + PAUSE_MS >= end) throw new Error(`${method} ${path} was not answered: ${last}`);
    }
    throw new Error(`${method} ${path} was not answered`);
  }

  #signature(body) {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    return {
      Authorization: `Bearer ${this.store.api_key}`,
      'Content-Type': 'application/json',
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': sign(this.store.api_secret, timestamp, nonce, body).toString('hex'),
    };
  }

  /** Whether a delivery is signed with the store's webhook secret. */
  isGenuine({ headers, body }) {
    const given = Buffer.from(headers['x-service-signature'] ?? '', 'hex');
    const right = sign(this.store.webhook_secret, headers['x-service-timestamp'], headers['x-service-nonce'], body);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/** Reads the body too: a connection that breaks within it delivers no response. */
async function whole(response) {
  try {
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}

const sign = (secret, timestamp, nonce, body) =>
  createHmac('sha256', secret).update(`${timestamp}.${nonce}.`).update(body).digest();
