// The signer's door: reads lines from its Unix socket, answers each from the table of calls, and believes nothing of what
// it reads. A wrong line is refused and the next one answered; a line without end closes its connection; neither ends the
// process.

import net from 'node:net';
import type { Log } from '@/lib/platform/log';
import type { Calls } from './calls';
import { MOST_REQUEST_BYTES, request, type SignerErrorCode } from './protocol';
import { Refusal } from './refusal';
import { listenOnSocket } from './files/socket-file';

/** Workers, web processes running the cron route and a person looking; more is a fault. */
const MOST_CONNECTIONS = 64;
/** A connection that says or takes nothing for this long is closed. */
const IDLE_MILLISECONDS = 60_000;

export type SignerServer = { close: () => Promise<void> };

/** Listens at a path, for this user only. Throws when another signer is listening there. */
export async function serveCalls(socketPath: string, calls: Calls, log: Log): Promise<SignerServer> {
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.setTimeout(IDLE_MILLISECONDS, () => socket.destroy());
    converse(socket, calls, log).catch((error: unknown) => {
      // A caller that goes away in the middle is no fault of ours, and all that can fail here is its connection.
      log.debug({ err: error }, 'a connection to the signer broke');
      socket.destroy();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  await listenOnSocket(server, socketPath);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Answers the lines of one connection one after the other; what is not read waits in the kernel's bounded buffer. */
async function converse(socket: net.Socket, calls: Calls, log: Log): Promise<void> {
  let held = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    held = Buffer.concat([held, chunk]);
    for (let end = held.indexOf(0x0a); end >= 0 && end < MOST_REQUEST_BYTES; end = held.indexOf(0x0a)) {
      const line = held.subarray(0, end);
      held = held.subarray(end + 1);
      await send(socket, await answerLine(line, calls, log));
    }
    if (held.length >= MOST_REQUEST_BYTES) {
      await send(socket, refusal(null, 'invalid_request', `a request has at most ${MOST_REQUEST_BYTES} bytes`));
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
    // The one place where a call's own failure ends; the caller learns nothing of it.
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

/** Waits until the line is taken, so that a caller who does not read holds up only its own connection. */
const send = (socket: net.Socket, line: object): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('close', reject);
    socket.write(`${JSON.stringify(line)}\n`, (error) => {
      socket.off('close', reject);
      if (error) reject(error);
      else resolve();
    });
  });
