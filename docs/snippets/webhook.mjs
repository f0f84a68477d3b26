// Receives webhooks, and believes only those that are genuine. Node 20 or later, no packages.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = setting('STABLETILL_WEBHOOK_SECRET');

function setting(name) {
  if (!process.env[name]) throw new Error('Set the environment variable ' + name);
  return process.env[name];
}

// [verify]
// headers: names in lower case. rawBody: the bytes as they arrived, before anything parsed them.
function isGenuine(headers, rawBody) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  const nonce = headers['x-service-nonce'] ?? '';
  const signature = headers['x-service-signature'] ?? '';
  const age = Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp));
  if (!/^[0-9]{10}$/.test(timestamp) || age > 300) return false;
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const expected = createHmac('sha256', secret)
    .update(timestamp + '.' + nonce + '.')
    .update(rawBody)
    .digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
// [/verify]

// A delivery can arrive twice. In production the ids live in your database, for 30 days.
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  if (!isGenuine(request.headers, rawBody)) return response.writeHead(401).end();

  const id = request.headers['x-service-event-id'];
  if (!seen.has(id)) {
    seen.add(id);
    const event = JSON.parse(rawBody);
    // Put it into your queue here, and do the work after the answer.
    console.log(event.type + ' ' + event.data.object.order_id);
  }
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"received":true}');
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1');
