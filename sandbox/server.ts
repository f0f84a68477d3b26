// The sandbox's own HTTP server, on loopback: the webhook receiver, the demo shop and the page of a bad day, to which the product's port forwards, and
// the rate source and the control server, to which it does not. All failed requests are caught here.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '@/lib/platform/log';
import type { BadDay } from './bad-day/bad-day';
import { BAD_DAY_PATHS, serveBadDay } from './bad-day/routes';
import type { LocalChains } from './chains/start';
import { CONTROL_PATH, serveControl } from './control';
import { RATES_CONTROL_PATH, RATES_PATH, type LocalRates } from './rates/source';
import { Refusal, sendJson, type Exchange } from './http';
import { RECEIVER_PATH, type Receiver } from './receiver/routes';
import { SHOP_PATH, type Shop } from './shop/routes';

export type SandboxServer = { readonly origin: string; readonly stop: () => Promise<void> };
export type Parts = {
  readonly chains: LocalChains;
  readonly receiver: Receiver;
  readonly shop: Shop;
  readonly rates: LocalRates;
  readonly badDay: BadDay;
  readonly publicUrl: string;
  readonly log: Log;
};

/** The base for parsing paths; nothing else of it is used. */
const BASE = 'http://sandbox.invalid';

/** Listens on the port of this machine, 0 for any. Rejects when it is in use. */
export function startServer(parts: Parts, port: number): Promise<SandboxServer> {
  const server = http.createServer((request, response) => {
    void route(parts, request, response).catch((error: Error) => answerFault(parts.log, response, error));
  });
  // A receiver configured to hang does so until the sender closes the connection.
  server.timeout = 0;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => stop(server) });
    });
  });
}

async function route(parts: Parts, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const target = request.url ?? '/';
  if (!URL.canParse(target, BASE)) throw new Refusal(400, 'the path is not a path');
  const exchange: Exchange = { request, response, url: new URL(target, BASE) };
  const path = exchange.url.pathname;
  if (path === RECEIVER_PATH || path.startsWith(`${RECEIVER_PATH}/`)) return parts.receiver.serve(exchange);
  if (path === SHOP_PATH || path.startsWith(`${SHOP_PATH}/`)) return parts.shop.serve(exchange);
  if (BAD_DAY_PATHS.includes(path)) return serveBadDay(parts.badDay, parts.publicUrl, exchange);
  if (path.startsWith(`${RATES_PATH}/`)) return parts.rates.serve(exchange);
  if (path === RATES_CONTROL_PATH) return parts.rates.obey(exchange);
  if (path.startsWith(CONTROL_PATH)) return serveControl(parts, exchange);
  throw new Refusal(404, 'there is nothing at this path');
}

function answerFault(log: Log, response: http.ServerResponse, error: Error): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // The remainder of a refused body is not read, so the connection cannot be reused.
  response.setHeader('connection', 'close');
  if (error instanceof Refusal) return sendJson(response, error.status, { message: error.message });
  log.error({ err: error }, 'a request to the sandbox failed');
  sendJson(response, 500, { message: 'the sandbox failed; its log says why' });
}

function stop(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
