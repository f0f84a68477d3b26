// Receives webhooks and rejects those with a wrong signature. Node 20 or later, with the SDK.
import { createServer } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@stabletill/sdk';

const secret = process.env.STABLETILL_WEBHOOK_SECRET;
if (!secret) throw new Error('Set the environment variable STABLETILL_WEBHOOK_SECRET');
const port = Number(process.env.PORT ?? 8080);

// An event can arrive twice. In production, keep the ids in your database for 30 days.
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await verifyWebhook({
      body: Buffer.concat(chunks), // the raw bytes, before anything parses them
      headers: request.headers,
      secret,
    });
    if (!seen.has(event.id)) {
      seen.add(event.id);
      console.log(event.type + ' ' + event.data.object.order_id);
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"received":true}');
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(error.code + ': ' + error.message);
    response.writeHead(401).end();
  }
});
server.listen(port, '127.0.0.1', () => console.log('Waiting for webhooks at http://127.0.0.1:' + port));
