// The client of the energy market against answers as its documentation shows them (develop.itrx.io, read on 2026-11-29).

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { openEnergyMarket, signedHeaders } from './energy-market';

/** Key, secret, time, body and signature of the documentation's example. */
const EXAMPLE = {
  key: 'B433BFF1CDE7450AA38A56BEAC690DD4',
  secret: '0285A2741D0E76E2E187260EB23E51851D48403A756333E7D0CF845406ABF3E8',
  seconds: 1_686_796_826,
  body: '{"callback_url":"http://{mydomain}/callback","energy_amount":32000,"out_trade_no":"123456","period":"1D","receive_address":"TExWKszFWYTKZH8LYiovAPKzS3L9MLZ4kw"}',
  signature: '07c125cabfe006614a02131f927cca9e7a654f7644a817b155fad591e1c50f7b',
};
const CLOCK = { now: () => new Date(EXAMPLE.seconds * 1000) };
const ORDER = { reference: '123456', address: 'TExWKszFWYTKZH8LYiovAPKzS3L9MLZ4kw', energy: 65_000n };

type Seen = { method: string; url: string; headers: Record<string, unknown>; body: string };
const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** A market that gives this answer. */
async function marketThatAnswers(answer: string, status = 200) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end(answer);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  stops.push(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { seen, market: openEnergyMarket({ url, key: EXAMPLE.key, secret: EXAMPLE.secret }, CLOCK) };
}

const DOCUMENTED_ORDER = {
  errno: 0,
  receive_address: 'TExWKszFWYTKZH8LYiovAPKzS3L9MLZ4kw',
  order_no: '58b451473d290f92443eabf0322b9907',
  energy_amount: 32000,
  pay_amount: 0.0,
  amount: 3800000,
  details: [],
  create_time: '2023-06-15T21:42:13.200565+08:00',
  period: 0,
  status: 30,
  refund_amount: 0,
};

describe('the energy market', () => {
  it('is signed as the documentation shows', () => {
    expect(signedHeaders(EXAMPLE.secret, EXAMPLE.seconds, EXAMPLE.body)).toMatchObject({
      TIMESTAMP: '1686796826',
      SIGNATURE: EXAMPLE.signature,
    });
  });

  it('is asked for the price of an hour, with its key and no signature', async () => {
    const documented = { period: '3D', energy_amount: 32000, price: 100, total_price: 10192000, addition: 600000 };
    const { market, seen } = await marketThatAnswers(JSON.stringify(documented));
    expect(await market.price(32_000n)).toBe(10_192_000n);
    const [{ method, url, headers }] = seen as [Seen];
    expect([method, url]).toEqual(['GET', '/api/v1/frontend/order/price?period=1H&energy_amount=32000']);
    expect(headers['api-key']).toBe(EXAMPLE.key);
    expect(headers.signature).toBeUndefined();
  });

  it('gets an order whose body is sorted by name and signed as sent', async () => {
    const documented = { errno: 0, serial: '7297a8a2a9e39b86fc5bad0d2e9edda2', amount: 3120000, balance: 813900029257 };
    const { market, seen } = await marketThatAnswers(JSON.stringify(documented));
    expect(await market.order(ORDER)).toBe(3_120_000n);
    const [{ method, url, headers, body }] = seen as [Seen];
    expect([method, url]).toEqual(['POST', '/api/v1/frontend/order']);
    expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(JSON.parse(body)).toSorted());
    expect(JSON.parse(body)).toEqual({
      energy_amount: 65000,
      out_trade_no: '123456',
      period: '1H',
      receive_address: ORDER.address,
    });
    expect(headers.signature).toBe(signedHeaders(EXAMPLE.secret, EXAMPLE.seconds, body).SIGNATURE);
  });

  it.each([
    ['a placed order', DOCUMENTED_ORDER, { kind: 'placed', cost: 3_800_000n }],
    ['a part that was refunded', { ...DOCUMENTED_ORDER, refund_amount: 800000 }, { kind: 'placed', cost: 3_000_000n }],
    ['one that ended with a refund', { ...DOCUMENTED_ORDER, status: 41 }, { kind: 'placed', cost: 0n }],
    ['one that was never paid', { ...DOCUMENTED_ORDER, status: 0 }, { kind: 'gone' }],
    ['none', { errno: 404, message: 'Order not found' }, { kind: 'gone' }],
  ])('finds by our reference: %s', async (_what, answer, outcome) => {
    const { market, seen } = await marketThatAnswers(JSON.stringify(answer));
    expect(await market.find('123456')).toEqual(outcome);
    expect(seen[0]?.url).toBe('/api/v1/frontend/order/query?out_trade_no=123456');
  });

  it('that refuses is a refusal, in one line and without the key', async () => {
    const { market } = await marketThatAnswers(`{"errno":1001,"message":"balance of ${EXAMPLE.key}\\nis   too low"}`);
    const error = await market.order(ORDER).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      isRefusal: true,
      message: 'the energy market refuses (1001): balance of … is too low',
    });
    expect(String(error)).not.toContain(EXAMPLE.key);
  });

  it.each([
    ['a page', '<html>', 403],
    ['no amount', '{"errno":0}', 200],
    ['a negative amount', '{"errno":0,"amount":-1}', 200],
    ['a fraction', '{"errno":0,"amount":1.5}', 200],
    ['nothing', '', 200],
    ['a failure', '{"errno":1,"message":"x"}', 502],
    ['megabytes', `"${'x'.repeat(100_000)}"`, 200],
  ])('that answers an order with %s leaves its outcome unknown', async (_what, answer, status) => {
    const { market } = await marketThatAnswers(answer, status);
    await expect(market.order(ORDER)).rejects.toMatchObject({ name: 'MarketError', isRefusal: false });
  });

  it('that cannot be reached leaves the outcome unknown, and the message names no host', async () => {
    const { market } = await marketThatAnswers('');
    stops.splice(0).forEach((stop) => stop());
    const error = await market.order(ORDER).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ isRefusal: false, message: 'the energy market could not be reached' });
  });
});
