// The HTTP API of the local TRON node: /wallet/* for the full node, /walletsolidity/* for solid state, /jsonrpc and TronGrid's
// listing. As in java-tron, nearly every error is a body with status 200.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBody, Refusal, sendJson } from '../../http';
import type { TronChain } from './chain';
import { errorJson, type Routes } from './routes/request';
import { BUILD_ROUTES } from './routes/build';
import { CALL_ROUTES } from './routes/call';
import { answerRpc, RpcFault } from './routes/jsonrpc';
import { NODE_ROUTES, READ_ROUTES } from './routes/read';
import { STAKE_ROUTES } from './routes/stakes';
import { SEND_ROUTES } from './routes/send';
import { tokenTransfers } from './routes/trongrid';
import type { Json } from './views';

export type TronServer = { readonly url: string; readonly stop: () => Promise<void> };

const LARGEST_BODY = 1_000_000;
const BASE = 'http://tron.invalid';
const FULL: Routes = {
  ...READ_ROUTES,
  ...STAKE_ROUTES,
  ...NODE_ROUTES,
  ...BUILD_ROUTES,
  ...CALL_ROUTES,
  ...SEND_ROUTES,
};
const SOLID: Routes = { ...READ_ROUTES, ...STAKE_ROUTES, ...CALL_ROUTES };

/** Listens on a free port of this machine. */
export function serveTron(chain: TronChain): Promise<TronServer> {
  const server = http.createServer((request, response) => {
    void answer(chain, request).then(
      ({ status, json }) => sendJson(response, status, json),
      (error: Error) => {
        const status = error instanceof Refusal ? error.status : 500;
        sendJson(response, status, { Error: `class java.lang.RuntimeException : ${error.message}` });
      },
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const stop = () =>
        new Promise<void>((ended) => {
          server.close(() => ended());
          server.closeAllConnections();
        });
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop });
    });
  });
}

async function answer(chain: TronChain, request: http.IncomingMessage): Promise<{ status: number; json: unknown }> {
  const url = new URL(request.url ?? '/', BASE);
  const body = (await readBody(request, LARGEST_BODY)).toString('utf8');
  const path = url.pathname.toLowerCase();
  if (path === '/jsonrpc') return { status: 200, json: await rpc(chain, parsed(body)) };
  const transfers = await chain.exclusively(() => tokenTransfers(chain, url.pathname, url.searchParams));
  if (transfers) return { status: 200, json: transfers };

  const [, side, name = ''] = path.split('/');
  const solid = side === 'walletsolidity';
  const routes = solid ? SOLID : side === 'wallet' ? FULL : {};
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (!route) return { status: 404, json: { Error: `there is nothing at ${path}` } };
  const parameters = { ...Object.fromEntries(url.searchParams), ...parsed(body) };
  const visible = String(parameters.visible) === 'true';
  try {
    const json = await chain.exclusively(() => route({ chain, solid, visible, parameters }));
    return { status: 200, json: json ?? {} };
  } catch (error) {
    const json = errorJson(error);
    if (!json) throw error;
    return { status: 200, json };
  }
}

function parsed(body: string): Json {
  if (body.trim() === '') return {};
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === 'object' && json !== null ? (json as Json) : {};
  } catch (error) {
    throw new Refusal(200, `the body is not JSON: ${(error as Error).message}`);
  }
}

async function rpc(chain: TronChain, { id = null, method, params }: Json): Promise<Json> {
  try {
    const parameters = Array.isArray(params) ? params : [];
    const result = await chain.exclusively(() => answerRpc(chain, String(method), parameters));
    return { jsonrpc: '2.0', id, result };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}
