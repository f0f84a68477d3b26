// One call of the signer: a line to its socket or address, and the first line of its response, within a time and a size.

import net from 'node:net';
import tls from 'node:tls';
import { MAX_ANSWER_BYTES } from '@/lib/signer/protocol';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { readTlsFiles, serverName, type SignerEndpoint } from './endpoint';

/** Sends one line and returns the first line of the response. */
export function exchange(endpoint: SignerEndpoint, timeout: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(endpoint);
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => fail(unavailable(`gave no answer within ${timeout} ms`)), timeout);
    const fail = (error: AddressSourceError) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    // A TLS socket keeps the line until the signer has proven its certificate.
    socket.write(line);
    socket.on('error', (error: NodeJS.ErrnoException) => fail(unavailable(`cannot be reached (${error.code})`, error)));
    socket.once('close', () => fail(unavailable('closed the connection without an answer')));
    socket.on('data', (chunk: Buffer) => {
      const end = chunk.indexOf(0x0a);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES)
        return fail(new AddressSourceError('contradiction', 'The signer answered too much.'));
      if (end < 0) return;
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
      socket.destroy();
    });
  });
}

/**
 * The files are read for each call, so that a renewed certificate needs no restart. Throws AddressSourceError `unavailable` when
 * they cannot be used.
 */
function connect(endpoint: SignerEndpoint): net.Socket {
  if (endpoint.kind === 'socket') return net.connect(endpoint.path);
  const { host, port, certificates } = endpoint;
  try {
    return tls.connect({ host, port, ...serverName(host), ...readTlsFiles(certificates) });
  } catch (error) {
    throw unavailable(`cannot be called with the files of ${certificates}`, error as Error);
  }
}

export const unavailable = (what: string, cause?: Error): AddressSourceError =>
  new AddressSourceError('unavailable', `The signer ${what}.`, cause && { cause });

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
