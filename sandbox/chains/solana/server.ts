// The RPC server on this machine: JSON-RPC over HTTP, batches included, and WebSocket on the next port, where Solana clients
// expect it. Both listen on the loopback address only.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { readJson, Refusal, send } from '../../http';
import { toJson } from './json';
import type { Chain } from './methods/method';
import { answer, type Call } from './methods/table';
import { internalError, INVALID_REQUEST, PARSE_ERROR, RpcError } from './rpc-error';
import { Subscriptions } from './subscriptions';

export type RpcServer = { readonly rpcUrl: string; readonly wsUrl: string; readonly stop: () => Promise<void> };

const HOST = '127.0.0.1';
const LARGEST_BODY = 1_000_000;
const LARGEST_MESSAGE = 65_536;
const MAX_CALLS = 1000;
/** Two neighbouring free ports are nearly always found at once. */
const PORT_TRIES = 20;

/** Serves the chain until `stop`. */
export async function serveRpc(chain: Chain): Promise<RpcServer> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE });
  sockets.on('connection', (socket) => serveSocket(chain, socket));
  const [http, ws] = await listenTogether((request, response) => void serveHttp(chain, request, response));
  for (const server of [http, ws]) {
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request)),
    );
  }
  const stop = async () => {
    for (const socket of sockets.clients) socket.terminate();
    await Promise.all([http, ws].map(closed));
  };
  return { rpcUrl: `http://${HOST}:${portOf(http)}`, wsUrl: `ws://${HOST}:${portOf(ws)}`, stop };
}

async function serveHttp(chain: Chain, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (request.method !== 'POST') throw new Refusal(405, 'this interface takes POST only');
    reply(response, 200, await answerAll(chain, await readJson(request, LARGEST_BODY)));
  } catch (error) {
    // The caller disconnected before it had sent everything.
    if (request.destroyed && !request.complete) return;
    const status = error instanceof Refusal ? error.status : 500;
    const fault = error instanceof Refusal ? new RpcError(PARSE_ERROR, error.message) : internalError(error as Error);
    reply(response, status, failure(fault));
  }
}

async function answerAll(chain: Chain, read: unknown): Promise<unknown> {
  if (!Array.isArray(read)) return answer(chain, read as Call);
  if (read.length === 0 || read.length > MAX_CALLS) {
    return failure(new RpcError(INVALID_REQUEST, `a batch holds 1 to ${MAX_CALLS} calls`));
  }
  const answers: object[] = [];
  for (const call of read) answers.push(await answer(chain, call as Call));
  return answers;
}

function serveSocket(chain: Chain, socket: WebSocket): void {
  const subscriptions = new Subscriptions(chain.ledger, socket);
  let scheduled: NodeJS.Immediate | undefined;
  const notify = () => {
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      subscriptions.notify();
    });
  };
  const end = chain.ledger.onChange(notify);
  socket.on('message', (raw: Buffer) => {
    socket.send(toJson(answerSubscription(subscriptions, raw.toString('utf8'))));
    // The requested state may already be reached.
    notify();
  });
  socket.on('close', () => {
    end();
    clearImmediate(scheduled);
  });
  socket.on('error', () => socket.terminate());
}

function answerSubscription(subscriptions: Subscriptions, text: string): object {
  let id: unknown = null;
  try {
    const call = JSON.parse(text) as { id?: unknown; method?: unknown; params?: unknown };
    id = call.id ?? null;
    const params = Array.isArray(call.params) ? call.params : [];
    return { jsonrpc: '2.0', id, result: subscriptions.answer(String(call.method), params) };
  } catch (error) {
    if (error instanceof RpcError) return failure(error, id);
    if (error instanceof SyntaxError) return failure(new RpcError(PARSE_ERROR, 'Parse error'));
    return failure(internalError(error as Error), id);
  }
}

const failure = ({ code, message }: RpcError, id: unknown = null) => ({ jsonrpc: '2.0', id, error: { code, message } });

const reply = (response: ServerResponse, status: number, value: unknown): void =>
  send(response, status, 'application/json', toJson(value));

/** Two servers on neighbouring ports. Throws when none are found. */
async function listenTogether(listener: RequestListener): Promise<readonly [Server, Server]> {
  for (let tried = 0; tried < PORT_TRIES; tried++) {
    const first = await listening(createServer(listener), 0);
    try {
      return [first, await listening(createServer(listener), portOf(first) + 1)];
    } catch (error) {
      await closed(first);
      if (!['EADDRINUSE', 'ERR_SOCKET_BAD_PORT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
  throw new Error('there are no two neighbouring free ports for the local Solana chain');
}

function listening(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
