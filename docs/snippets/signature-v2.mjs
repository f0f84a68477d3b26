// Creates a payment session and reads it again, signed with version 2 (RFC 9421). Node 20 or later, no packages.
import { createHash, createHmac, randomUUID } from 'node:crypto';

const baseUrl = setting('STABLETILL_URL');
const apiKey = setting('STABLETILL_API_KEY');
const apiSecret = setting('STABLETILL_API_SECRET');

function setting(name) {
  if (!process.env[name]) throw new Error('Set the environment variable ' + name);
  return process.env[name];
}

// [sign]
function signedHeaders(method, path, body) {
  const [pathname, query = ''] = path.split(/\?(.*)/s);
  const digest = 'sha-256=:' + createHash('sha256').update(body).digest('base64') + ':';
  const parameters =
    '("@method" "@path" "@query" "content-digest")' +
    `;created=${Math.floor(Date.now() / 1000)};nonce="${randomUUID()}"` +
    `;keyid="${apiKey}";alg="hmac-sha256";tag="stabletill-api"`;
  const signatureBase = [
    '"@method": ' + method,
    '"@path": ' + pathname,
    '"@query": ?' + query,
    '"content-digest": ' + digest,
    '"@signature-params": ' + parameters,
  ].join('\n');
  const signature = createHmac('sha256', apiSecret).update(signatureBase).digest('base64');
  return {
    'Content-Type': 'application/json',
    Authorization: 'Bearer ' + apiKey,
    'Content-Digest': digest,
    'Signature-Input': 'sig1=' + parameters,
    Signature: 'sig1=:' + signature + ':',
  };
}
// [/sign]

async function call(method, path, content) {
  // The bytes that are signed are the bytes that are sent. A GET signs the empty text.
  const body = content === undefined ? '' : JSON.stringify(content);
  const answer = await fetch(baseUrl + path, {
    method,
    headers: signedHeaders(method, path, body),
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
