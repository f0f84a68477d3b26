// The baseline of the benchmark: node:http and a PostgreSQL driver. It checks the same signature over the raw bytes,
// with a key loaded beforehand, and runs the same SQL statements. It has no limits, validation or error envelope.

import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { MerchantKey } from '@/lib/merchants/api-keys/verify-key';
import { sameBytes, signatureOf } from '@/lib/platform/crypto';
import { openPool } from '@/lib/platform/database/db';
import { newSessionId } from '@/lib/platform/ids';
import { createStatement } from '@/lib/payments/sessions/create/statement';
import { readStatement } from '@/lib/payments/sessions/read';
import type { CreateSessionRequest } from '@/lib/payments/sessions/create/schema';

const [databaseUrl = '', port = '0', apiKey = '', apiSecret = ''] = process.argv.slice(2);
const pool = openPool(databaseUrl, 10);
const key: MerchantKey = {
  id: 1,
  storeId: 'st_bench',
  environment: 'test',
  secret: apiSecret,
  scopes: [],
  allowedAddresses: [],
  requiresSignatureV2: false,
  storeActive: true,
  usdCurrencies: ['USDT', 'USDC'],
  networks: [],
  allowedPairs: [],
  countryRules: '',
  acceptsOtherToken: false,
  settlementCurrency: 'USDT',
  spreadBasisPoints: 0,
};

http
  .createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, Buffer.concat(chunks), response).catch((error: unknown) =>
        reply(response, 500, { error: String(error) }),
      );
    });
  })
  .listen(Number(port), '127.0.0.1');

async function answer(
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const nonce = String(headers['x-service-nonce']);
  const timestamp = String(headers['x-service-timestamp']);
  const right = signatureOf(apiSecret, timestamp, nonce, body);
  const isSigned = sameBytes(right, Buffer.from(String(headers['x-service-signature']), 'hex'));
  if (headers.authorization !== `Bearer ${apiKey}` || !isSigned) return reply(response, 401, {});
  return method === 'POST' ? create(nonce, body, response) : read(nonce, url, response);
}

async function create(nonce: string, body: Buffer, response: ServerResponse): Promise<void> {
  const request = JSON.parse(body.toString()) as CreateSessionRequest;
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 1_800_000);
  const amount = BigInt(request.amount);
  const { currency } = request;
  const price = { currency, amountTotal: amount, amountDue: amount, currencies: key.usdCurrencies, conversion: null };
  const session = {
    id: newSessionId('test'),
    request,
    price,
    createdAt,
    expiresAt,
    answer: '',
    idempotency: null,
    networks: ['ethereum', 'bsc'],
    pairs: ['ethereum-USDT', 'bsc-USDT'],
  };
  const { rows } = await pool.query(createStatement({ key, nonce }, session));
  reply(response, rows[0].made ? 200 : 409, {
    id: session.id,
    amount_total: request.amount,
    currency: request.currency,
  });
}

async function read(nonce: string, url: string, response: ServerResponse): Promise<void> {
  const { rows } = await pool.query(readStatement({ key, nonce }, url.slice(url.lastIndexOf('/') + 1)));
  const { id, order_id, status, amount_total, currency } = rows[0];
  reply(response, id && rows[0].spent ? 200 : 404, { id, order_id, status, amount_total, currency });
}

function reply(response: ServerResponse, status: number, content: object): void {
  const text = JSON.stringify(content);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
