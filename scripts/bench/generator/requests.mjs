// Signed requests as the bytes that are sent, built before the measurement so that signing is not part of the load.

import { createHmac, randomUUID } from 'node:crypto';

const CREATE = '/api/v1/checkout/sessions/create';

/**
 * The n-th request of an order.
 * @param {{ kind: 'create' | 'get', apiKey: string, apiSecret: string, targets?: string[] }} order
 */
export function prepare({ kind, apiKey, apiSecret, targets = [] }, n) {
  const nonce = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = kind === 'create' ? createBody(nonce) : '';
  const signature = createHmac('sha256', apiSecret).update(`${timestamp}.${nonce}.${body}`).digest('hex');
  const line = kind === 'create' ? `POST ${CREATE}` : `GET ${targets[n % targets.length]}`;
  const content =
    kind === 'create' ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : '';
  return Buffer.from(
    `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nX-Service-Timestamp: ${timestamp}\r\n` +
      `X-Service-Nonce: ${nonce}\r\nX-Service-Signature: ${signature}\r\n${content}\r\n${body}`,
  );
}

const createBody = (nonce) =>
  JSON.stringify({
    amount: 1250,
    currency: 'USD',
    order_id: `bench-${nonce}`,
    description: 'One blue mug',
    metadata: { cart: '42' },
  });
