// The demo shop with real local chains and the real receiver: buy, pay with the test wallet, see the signed webhook. A
// stand-in for the product checks every signature.

import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { base58 } from '@scure/base';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import { signatureOf } from '@/lib/platform/crypto';
import { openLog } from '@/lib/platform/log';
import { BadDay } from '../bad-day/bad-day';
import { startChains, type LocalChains } from '../chains/start';
import { toBase58 } from '../chains/tron/address';
import { LocalRates } from '../rates/source';
import { Receiver } from '../receiver/routes';
import { startServer, type SandboxServer } from '../server';
import { MerchantServer } from './merchant';
import { Shop } from './routes';

const STORE = { id: 'st_one', api_key: 'ak_test_1', api_secret: 'as_test_1', webhook_secret: 'whsec_1' };
const SESSION = 'cs_test_0123456789abcdefABCDEF';
const evmAddress = Wallet.createRandom().address.toLowerCase();
/** The deposit address on each network. */
const ADDRESSES: Readonly<Record<string, string>> = {
  bsc: evmAddress,
  ethereum: evmAddress,
  tron: toBase58(`41${evmAddress.slice(2)}`),
  solana: base58.encode(randomBytes(32)),
};

/** The create requests of the stand-in, and its session status. */
let created: Record<string, unknown> | null = null;
let createdWith: http.IncomingHttpHeaders = {};
let status = 'PENDING';
let refunded = 0;
let product: http.Server;
let publicUrl: string;
let chains: LocalChains;
let sandbox: SandboxServer;
let directory: string;

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-shop-'));
  product = http.createServer((request, response) => void standIn(request, response));
  await new Promise<void>((listening) => product.listen(0, '127.0.0.1', listening));
  publicUrl = `http://127.0.0.1:${(product.address() as AddressInfo).port}`;
  chains = await startChains({ directory: path.join(directory, 'chains'), onFault: () => {} });
  const log = openLog('test', 'silent');
  const receiver = new Receiver(systemClock);
  const merchant = new MerchantServer({ publicUrl, dataDirectory: directory, clock: systemClock });
  const shop = new Shop({ merchant, chains, inbox: receiver.inbox, publicUrl, log });
  sandbox = await startServer(
    {
      chains,
      receiver,
      shop,
      rates: new LocalRates(systemClock),
      badDay: new BadDay({ chains, receiver, installation: null }),
      publicUrl,
      log,
    },
    0,
  );
});
afterAll(async () => {
  await sandbox.stop();
  await chains.stop();
  product.closeAllConnections();
  product.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

async function standIn(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  let body = '';
  for await (const part of request as AsyncIterable<Buffer>) body += part.toString();
  const amounts = { refunded_amount: refunded, amount_refundable: 1250 - refunded };
  const session = { id: SESSION, url: `${publicUrl}/pay/${SESSION}`, status, payment_status: 'unpaid', ...amounts };
  const answer = (code: number, value: unknown) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (request.url === `/pay/${SESSION}/status`) {
    const method = { currency: 'USDT', amount: '12.50' };
    const methods = Object.entries(ADDRESSES).map(([network, address]) => ({ ...method, network, address }));
    return answer(200, { status, amount_due: '12.50', amount_received: '0.00', methods });
  }
  if (!isSigned(request, body)) return answer(401, { error: { code: 'invalid_signature' } });
  if (request.url === `/api/v1/checkout/sessions/${SESSION}`) return answer(200, session);
  if (created) return answer(400, { error: { code: 'DUPLICATE_ORDER_ID' } });
  created = JSON.parse(body) as Record<string, unknown>;
  createdWith = request.headers;
  return answer(200, session);
}

function isSigned({ headers }: http.IncomingMessage, body: string): boolean {
  const [at, nonce] = [String(headers['x-service-timestamp']), String(headers['x-service-nonce'])];
  const wanted = signatureOf(STORE.api_secret, at, nonce, body).toString('hex');
  return headers.authorization === `Bearer ${STORE.api_key}` && headers['x-service-signature'] === wanted;
}

const see = async (at: string) => {
  const answer = await fetch(`${sandbox.origin}${at}`);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};
const post = (at: string, form: Record<string, string> = {}, headers: Record<string, string> = { origin: publicUrl }) =>
  fetch(`${sandbox.origin}${at}`, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });

async function deliver(secret: string, orderId: string): Promise<void> {
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'payment.completed',
    data: { object: { session_id: SESSION, order_id: orderId } },
  });
  const [timestamp, nonce] = [String(unixSeconds(systemClock.now())), randomUUID()];
  await fetch(`${sandbox.origin}/sandbox/webhooks/${STORE.id}`, {
    method: 'POST',
    body,
    headers: {
      'x-service-event-type': 'payment.completed',
      'x-service-event-id': 'evt_1',
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': signatureOf(secret, timestamp, nonce, body).toString('hex'),
    },
  });
}

test('the item page needs no script and allows none', async () => {
  const { status: code, text, headers } = await see('/shop');
  expect(code).toBe(200);
  expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await see('/shop/style.css')).headers.get('content-type')).toContain('text/css');
});

test('buying before the demo accounts exist shows a message', async () => {
  const answer = await post('/shop/buy');
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('not ready yet')]);
});

test('buy, pay with the test wallet, and see the webhook verified', async () => {
  fs.writeFileSync(path.join(directory, 'sandbox.json'), JSON.stringify({ stores: [STORE] }));
  const bought = await post('/shop/buy');
  expect([bought.status, bought.headers.get('location')]).toEqual([303, `${publicUrl}/pay/${SESSION}`]);
  const orderId = String(created?.order_id);
  const page = `/shop/orders/${orderId}`;
  expect(created).toMatchObject({ amount: 1250, currency: 'USD', success_url: `${publicUrl}${page}` });
  expect(createdWith).toMatchObject({
    'user-agent': expect.stringMatching(/^stabletill-sdk\//),
    'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });

  const waiting = await see(page);
  expect(waiting.text).toContain('data-status="PENDING"');
  expect(waiting.text).toContain(`href="${publicUrl}/pay/${SESSION}"`);
  expect(waiting.text).not.toContain('http-equiv="refresh"');

  const paid = await post(`${page}/pay`, { method: 'bsc USDT' });
  expect([paid.status, paid.headers.get('location')]).toEqual([303, page]);
  expect(await chains.networks.get('bsc')?.balance(evmAddress, 'USDT')).toBe(1250n * 10n ** 16n);
  const underway = await see(page);
  expect(underway.text).toContain('http-equiv="refresh"');
  expect(underway.text).not.toContain('<form');

  status = 'COMPLETED';
  expect((await see(page)).text).toContain('http-equiv="refresh"');
  await deliver(STORE.webhook_secret, orderId);
  const done = await see(page);
  expect(done.text).toContain('data-genuine="yes"');
  expect(done.text).not.toContain('http-equiv="refresh"');
  await deliver('whsec_of_somebody_else', orderId);
  expect((await see(page)).text).toContain('data-genuine="no"');
});

test('the page of the order shows a refund that the merchant makes', async () => {
  const page = `/shop/orders/${String(created?.order_id)}`;
  refunded = 400;
  const part = await see(page);
  expect(part.text).toContain('data-status="PARTLY_REFUNDED"');
  expect(part.text).toContain('4.00');
  refunded = 1250;
  expect((await see(page)).text).toContain('data-status="REFUNDED"');
  refunded = 0;
});

test('the form selects quantity, currency and language of the hosted page, and rejects anything not offered', async () => {
  created = null;
  const bought = await post('/shop/buy', { quantity: '3', currency: 'EUR', language: 'de' });
  expect([bought.status, bought.headers.get('location')]).toEqual([303, `${publicUrl}/pay/${SESSION}?lang=de`]);
  expect(created).toMatchObject({ amount: 3450, currency: 'EUR', line_items: [{ quantity: 3 }] });
  expect((await see(`/shop/orders/${String(created!.order_id)}`)).text).toContain('3 × Blue mug');
  for (const form of [
    { quantity: '0' },
    { quantity: '6' },
    { quantity: '1.5' },
    { currency: 'DOGE' },
    { language: 'xx' },
  ])
    expect((await post('/shop/buy', form as Record<string, string>)).status).toBe(400);
});

test('rejects a payment that is not offered', async () => {
  const answer = await post(`/shop/orders/${String(created?.order_id)}/pay`, { method: 'tron DAI' });
  expect(answer.status).toBe(409);
});

test('the test wallet pays on every network', async () => {
  const page = `/shop/orders/${String(created?.order_id)}`;
  const labels: Record<string, string> = { ethereum: 'Ethereum', tron: 'TRON', solana: 'Solana' };
  for (const [network, label] of Object.entries(labels)) {
    expect((await post(`${page}/pay`, { method: `${network} USDT` })).status).toBe(303);
    expect(await chains.networks.get(network)?.balance(ADDRESSES[network] as string, 'USDT')).toBe(12_500_000n);
    expect((await see(page)).text).toContain(`USDT on ${label}`);
  }
  expect([...chains.networks.keys()].toSorted()).toEqual(['bsc', ...Object.keys(labels)].toSorted());
});

test('an error of the product becomes a page with its code', async () => {
  const answer = await post('/shop/buy');
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('DUPLICATE_ORDER_ID')]);
});

test.each([
  [{ origin: 'https://elsewhere.example' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{}, 403],
  [{ 'sec-fetch-site': 'same-origin' }, 502],
] as const)('a form posted with %j is answered %i', async (headers, code) => {
  expect((await post('/shop/buy', {}, headers)).status).toBe(code);
});

test('an unknown order and an unknown page are 404', async () => {
  expect((await see('/shop/orders/shop-unknown')).status).toBe(404);
  expect((await see('/shop/elsewhere')).status).toBe(404);
});

test('webhook content is always shown as text', async () => {
  const body = `<img src=x> ${SESSION}`;
  await fetch(`${sandbox.origin}/sandbox/webhooks/${STORE.id}`, { method: 'POST', body });
  const { text } = await see(`/shop/orders/${String(created?.order_id)}`);
  expect(text).toContain('&lt;img src=x&gt;');
  expect(text).not.toContain('<img');
});
