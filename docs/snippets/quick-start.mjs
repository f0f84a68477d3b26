// Creates a payment session and reads it again. Node 20 or later, no packages.
import { createHmac, randomUUID } from 'node:crypto';

const baseUrl = setting('STABLETILL_URL');
const apiKey = setting('STABLETILL_API_KEY');
const apiSecret = setting('STABLETILL_API_SECRET');

function setting(name) {
  if (!process.env[name]) throw new Error('Set the environment variable ' + name);
  return process.env[name];
}

// [sign]
function signedHeaders(body) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const signString = timestamp + '.' + nonce + '.' + body;
  return {
    'Content-Type': 'application/json',
    Authorization: 'Bearer ' + apiKey,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': createHmac('sha256', apiSecret).update(signString).digest('hex'),
  };
}
// [/sign]

async function call(method, path, content) {
  // The bytes that are signed are the bytes that are sent. A GET signs the empty text.
  const body = content === undefined ? '' : JSON.stringify(content);
  const answer = await fetch(baseUrl + path, {
    method,
    headers: signedHeaders(body),
    ...(content === undefined ? {} : { body }),
  });
  const result = await answer.json();
  if (!answer.ok) throw new Error(result.error.code + ': ' + result.error.message + ' ' + result.error.doc_url);
  return result;
}

const session = await call('POST', '/api/v1/checkout/sessions/create', {
  amount: 1250,
  currency: 'USD',
  order_id: 'order-' + randomUUID(),
});
console.log('Redirect the customer to ' + session.url);

const same = await call('GET', '/api/v1/checkout/sessions/' + session.id);
console.log(same.id + ' is ' + same.payment_status + ' (' + same.status + ')');
