// A market that rents energy on the local TRON chain: it speaks the documented API over HTTP, checks signatures, and lends energy from an
// account of its own. It can be late, lend too little or nothing, lose its answers, refuse, or be away.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  openEnergyMarket,
  signedHeaders,
  type EnergyMarket,
} from '@/lib/networks/families/tron/sweeping/energy-market';
import { systemClock } from '@/lib/platform/clock';
import { readAddress } from '@/sandbox/chains/tron/address';
import { stakeOf } from '@/sandbox/chains/tron/resources';
import { delegate, freeze } from '@/sandbox/chains/tron/stakes';
import type { TronNode } from '@/sandbox/chains/tron/start';

const LENDER = `41${'7e'.repeat(20)}`;
const ACCOUNT = { key: 'market-key', secret: 'a-secret-of-the-market' };

/**
 * `lends`: at once. `late`: when `deliver` is called. `short`: half of it. `loses_answers`: it takes the order and closes the connection.
 * `drops`: it closes the connection before it reads the order. `refuses`: the balance is empty. `away`: status 502.
 */
type MarketMode = 'lends' | 'late' | 'short' | 'never' | 'loses_answers' | 'drops' | 'refuses' | 'away';

type Order = { readonly out_trade_no: string; readonly receive_address: string; readonly energy_amount: number };

export type TestMarket = {
  readonly client: EnergyMarket;
  /** Every order that it took. */
  readonly orders: readonly Order[];
  mode: MarketMode;
  /** Sun for a unit of energy. */
  price: number;
  /** What it takes for a unit in fact; null: its price. */
  takes: number | null;
  /** How often it was asked for a price. */
  prices: number;
  /** Lends what it owes. */
  deliver(): Promise<void>;
  stop(): Promise<void>;
};

export async function startEnergyMarket({ chain }: TronNode, timeoutMilliseconds = 2000): Promise<TestMarket> {
  const orders: Order[] = [];
  const owed: Order[] = [];
  const lend = ({ receive_address: to, energy_amount: energy }: Order): Promise<void> =>
    chain.exclusively(() => {
      const amount = stakeOf(energy, 'ENERGY') + 1n;
      chain.state.activate(LENDER);
      freeze(chain.state, LENDER, 'ENERGY', amount);
      delegate(chain.state, { owner: LENDER, receiver: readAddress(to) as string, resource: 'ENERGY', amount });
    });

  async function take(order: Order): Promise<void> {
    orders.push(order);
    if (market.mode === 'late') owed.push(order);
    else if (market.mode === 'short') await lend({ ...order, energy_amount: Math.floor(order.energy_amount / 2) });
    else if (market.mode !== 'never') await lend(order);
  }

  const costOf = (energy: number): number => energy * market.price;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://market');
    const send = (body: object, status = 200): void => void response.writeHead(status).end(JSON.stringify(body));
    if (market.mode === 'away') return send({}, 502);
    if (request.headers['api-key'] !== ACCOUNT.key) return send({ errno: 401, message: 'unknown key' });
    if (pathname.endsWith('/price')) {
      market.prices++;
      return send({ period: '1H', total_price: costOf(Number(searchParams.get('energy_amount'))) });
    }
    if (pathname.endsWith('/query')) {
      const order = orders.find((one) => one.out_trade_no === searchParams.get('out_trade_no'));
      if (!order) return send({ errno: 404, message: 'Order not found' });
      return send({ errno: 0, amount: costOf(order.energy_amount), refund_amount: 0, status: 40 });
    }
    if (market.mode === 'drops') return void request.socket.destroy();
    const body = await text(request);
    const signed = signedHeaders(ACCOUNT.secret, Number(request.headers.timestamp), body);
    if (request.headers.signature !== signed.SIGNATURE) return send({ errno: 403, message: 'wrong signature' });
    if (market.mode === 'refuses') return send({ errno: 1001, message: 'the balance\nis too low' });
    const order = JSON.parse(body) as Order;
    await take(order);
    if (market.mode === 'loses_answers') return void request.socket.destroy();
    return send({
      errno: 0,
      serial: 'serial',
      amount: order.energy_amount * (market.takes ?? market.price),
      balance: 0,
    });
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const market: TestMarket = {
    client: openEnergyMarket({ url, ...ACCOUNT }, systemClock, timeoutMilliseconds),
    orders,
    mode: 'lends',
    price: 28,
    takes: null,
    prices: 0,
    async deliver() {
      for (const order of owed.splice(0)) await lend(order);
    },
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
  return market;
}
