// The code that the guides show. A test runs the signing and the verifying sample against our own implementation.

export type SampleName = 'sign' | 'create' | 'verify';

export const SAMPLES: Readonly<Record<SampleName, string>> = {
  sign: `import { createHmac, randomUUID } from 'node:crypto';

export function signedHeaders(apiKey, apiSecret, body = '') {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const signature = createHmac('sha256', apiSecret)
    .update(timestamp + '.' + nonce + '.' + body)
    .digest('hex');
  return {
    'Content-Type': 'application/json',
    Authorization: 'Bearer ' + apiKey,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': signature,
  };
}`,
  create: `const body = JSON.stringify({
  amount: 1250,
  currency: 'USD',
  order_id: 'order-1001',
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
});
const answer = await fetch(BASE_URL + '/api/v1/checkout/sessions/create', {
  method: 'POST',
  headers: signedHeaders(API_KEY, API_SECRET, body),
  body,
});
const session = await answer.json();
// Redirect the customer to session.url.`,
  verify: `import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the bytes as they arrived. headers: names in lower case.
export function isGenuine(headers, rawBody, webhookSecret) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  const nonce = headers['x-service-nonce'] ?? '';
  const signature = headers['x-service-signature'] ?? '';
  const age = Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp));
  if (!/^[0-9]+$/.test(timestamp) || age > 300) return false;
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const expected = createHmac('sha256', webhookSecret)
    .update(timestamp + '.' + nonce + '.')
    .update(rawBody)
    .digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}`,
};
