// The signer's server: reads request lines, answers each from the table of calls, and trusts no input. It
// refuses a malformed line and goes on to the next. An endless line closes its connection. Neither ends the process.

import net from 'node:net';
import tls from 'node:tls';
import type { Log } from '@/lib/platform/log';
import type { Calls } from '@/lib/signer/calls';
import { MAX_REQUEST_BYTES, request, type SignerErrorCode } from '@/lib/signer/protocol';
import { Refusal, SignerUnavailable } from '@/lib/signer/refusal';
import { readEndpoint, readTlsFiles } from './endpoint';
import { listenOnSocket } from './socket-file';

/** Enough for workers, web processes that run the cron route, and a person who inspects the signer. */
const MAX_CONNECTIONS = 64;
/** Connections that have not proven their certificate. A proof takes a few milliseconds. */
const MAX_UNPROVEN = 64;
/** A connection without traffic for this long is closed. */
const IDLE_MILLISECONDS = 60_000;
/** A connection that has not proven its certificate by then is closed. */
const HANDSHAKE_MILLISECONDS = 3000;

export type SignerServer = { close: () => Promise<void> };

/**
 * Listens at a path that only this user can open, or on an address where only holders of a certificate of the operator's
 * authority are answered (SIGNER_SOCKET). Throws when another signer is listening there, or a certificate is missing.
 */
export async function serveCalls(address: string, calls: Calls, log: Log): Promise<SignerServer> {
  const endpoint = readEndpoint(address);
  const unproven = new Connections(MAX_UNPROVEN);
  const open = new Connections(MAX_CONNECTIONS);
  const onConnection = (socket: net.Socket): void => {
    unproven.remove(peerOf(socket));
    open.add(socket);
    socket.setTimeout(IDLE_MILLISECONDS, () => socket.destroy());
    converse(socket, calls, log).catch((error: unknown) => {
      // A caller may disconnect in the middle of a request. Only its own connection is affected.
      log.debug({ err: error }, 'a connection to the signer broke');
      socket.destroy();
    });
  };
  const server =
    endpoint.kind === 'tls' ? tlsServer(endpoint.certificates, onConnection, log) : net.createServer(onConnection);
  // Connections without a proven certificate have a limit of their own, so that they displace no worker.
  if (endpoint.kind === 'tls') server.on('connection', (socket: net.Socket) => unproven.add(socket, peerOf(socket)));
  if (endpoint.kind === 'tls') await listenOnAddress(server, endpoint);
  else await listenOnSocket(server, endpoint.path);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        unproven.destroy();
        open.destroy();
      }),
  };
}

/** A bounded set of open connections. Above the limit it closes the oldest one. */
class Connections {
  readonly #most: number;
  /** Oldest first. */
  readonly #sockets = new Map<string | net.Socket, net.Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: net.Socket, key: string | net.Socket = socket): void {
    this.#sockets.set(key, socket);
    socket.once('close', () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
    });
    if (this.#sockets.size > this.#most) [...this.#sockets.values()][0]?.destroy();
  }

  remove(key: string): void {
    this.#sockets.delete(key);
  }

  destroy(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

/** Names a connection before and after its proof: TLS wraps the socket that connected in one of its own. */
const peerOf = ({ remoteAddress, remotePort }: net.Socket): string => `${remoteAddress} ${remotePort}`;

function tlsServer(certificates: string, onConnection: (socket: net.Socket) => void, log: Log): tls.Server {
  const options = { ...readTlsFiles(certificates), requestCert: true, rejectUnauthorized: true };
  const server = tls.createServer({ ...options, handshakeTimeout: HANDSHAKE_MILLISECONDS }, onConnection);
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    log.debug({ code: error.code, address: socket.remoteAddress }, 'the signer refused a connection');
  });
  return server;
}

const listenOnAddress = (server: net.Server, { host, port }: { readonly host: string; readonly port: number }) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Answers the lines of one connection in order. Unread input waits in the kernel's bounded buffer. */
async function converse(socket: net.Socket, calls: Calls, log: Log): Promise<void> {
  let pending = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    pending = Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(0x0a); end >= 0 && end < MAX_REQUEST_BYTES; end = pending.indexOf(0x0a)) {
      const line = pending.subarray(0, end);
      pending = pending.subarray(end + 1);
      await send(socket, await answerLine(line, calls, log));
    }
    if (pending.length >= MAX_REQUEST_BYTES) {
      await send(socket, refusal(null, 'invalid_request', `a request has at most ${MAX_REQUEST_BYTES} bytes`));
      return void socket.destroy();
    }
  }
}

async function answerLine(line: Uint8Array, calls: Calls, log: Log): Promise<object> {
  const read = request.safeParse(parseLine(line));
  if (!read.success) return refusal(null, 'invalid_request', 'a request is {"id":"…","call":"…","params":{…}}');
  const { id, call: name, params } = read.data;
  const call = calls.get(name);
  if (!call) return refusal(id, 'unknown_call', 'the signer has no such call');
  try {
    const result = await call(params);
    return result ? { id, result } : refusal(id, 'invalid_request', 'the parameters are missing or out of bounds');
  } catch (error) {
    if (error instanceof Refusal) {
      log.warn({ call: name, code: error.code }, `the signer refused: ${error.message}`);
      return refusal(id, error.code, error.message);
    }
    if (error instanceof SignerUnavailable) {
      log.error({ call: name }, `the signer is not available: ${error.message}`);
      return refusal(id, 'unavailable', error.message);
    }
    // Catch every failure here: the caller must not learn its details.
    log.error({ err: error, call: name }, 'a call to the signer failed');
    return refusal(id, 'failed', 'the call failed');
  }
}

/** The value of a line, or null when it is not JSON in UTF-8. */
function parseLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return null;
  }
}

const refusal = (id: string | null, code: SignerErrorCode, message: string): object => ({
  id,
  error: { code, message },
});

/** Waits until the peer reads the line, so that a caller who does not read delays only its own connection. */
const send = (socket: net.Socket, line: object): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('close', reject);
    socket.write(`${JSON.stringify(line)}\n`, (error) => {
      socket.off('close', reject);
      if (error) reject(error);
      else resolve();
    });
  });
