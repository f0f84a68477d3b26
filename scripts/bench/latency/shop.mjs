// A merchant of the sandbox: creates sessions, pays them with the test helper, and queries the sandbox's receiver for
// the arrival of the webhook. Written from the specification, without code of the product.

import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/** @param {{ base_url: string, stores: { id: string, api_key: string, api_secret: string }[] }} description */
export function openShop({ base_url: base, stores }) {
  const [store] = stores;

  async function call(path, fields) {
    const body = JSON.stringify(fields);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    const signature = createHmac('sha256', store.api_secret).update(`${timestamp}.${nonce}.${body}`).digest('hex');
    const headers = {
      Authorization: `Bearer ${store.api_key}`,
      'Content-Type': 'application/json',
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': signature,
    };
    const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  return {
    /** Creates a session over 12.50 and resolves to its id. */
    async create() {
      const price = { amount: 1250, currency: 'USD' };
      const { id } = await call('/api/v1/checkout/sessions/create', { order_id: `latency-${randomUUID()}`, ...price });
      return id;
    },

    /** Pays the exact amount; resolves to the transaction hash. */
    async pay(session, network) {
      const path = `/api/v1/test_helpers/checkout/sessions/${session}/pay`;
      return (await call(path, { network, currency: 'USDT' })).transaction_hash;
    },

    /** Arrival of the completion webhook, in Unix milliseconds. */
    async completed(session, limitMs) {
      for (const end = Date.now() + limitMs; Date.now() < end; await sleep(POLL_MS)) {
        const answer = await fetch(`${base}/sandbox/webhooks?contains=${session}&store_id=${store.id}`);
        const { received } = await answer.json();
        const found = received.find(({ headers }) => headers['x-service-event-type'] === 'payment.completed');
        if (found) return found.received_at;
      }
      throw new Error(`no webhook of ${session} came within ${limitMs / 1000} s`);
    },
  };
}
