// Receivers that attack or harm a sender: servers on this machine that write raw bytes, with the required outcome of a
// call. One table, so that every test covers a new behaviour.

import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import zlib from 'node:zlib';
import type { Outcome } from '@/lib/webhooks/delivery/schedule';
import { selfSigned, type Certificate } from './receiver-certificate';

export type Hostile = {
  readonly says: string;
  /** The required outcome of a call. */
  readonly kind: Outcome['kind'];
  /** Whether the call must end long before its deadline. */
  readonly isQuick: boolean;
  readonly onSocket: (socket: Socket) => void;
  /** With this TLS configuration; the certificate's authority is trusted if `isTrusted`. */
  readonly tls?: { readonly options: tls.TlsOptions; readonly certificate: Certificate; readonly isTrusted: boolean };
};

/** After the first byte of a request. */
const after = (act: (socket: Socket) => void) => (socket: Socket) => void socket.once('data', () => act(socket));
const saying = (...parts: (string | Buffer)[]) => after((socket) => parts.forEach((part) => socket.write(part)));
const OK = 'HTTP/1.1 200 OK\r\n';

/** Writes endlessly, as fast as the other side reads, up to a limit that no test reaches by accident. */
const pouring = (head: string, part: Buffer, most = 1_000_000_000) =>
  after((socket) => {
    let sent = 0;
    const pour = (): void => {
      while (!socket.destroyed && sent < most && socket.write(part)) sent += part.length;
      if (!socket.destroyed && sent < most) socket.once('drain', pour);
    };
    socket.write(head);
    pour();
  });
/** One part every 20 ms until the other side disconnects. */
const dripping = (head: string, part: string) =>
  after((socket) => {
    const timer = setInterval(() => socket.write(part), 20);
    socket.on('close', () => clearInterval(timer));
    if (head !== '') socket.write(head);
  });
const days = (count: number): Date => new Date(Date.now() + count * 86_400_000);
const good = (name = 'localhost', from = -1, until = 1): Certificate => selfSigned(name, days(from), days(until));
const BOMB = zlib.gzipSync(Buffer.alloc(100_000_000));
const GOOD = good();
const OLD_TLS = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
const overTls = (certificate: Certificate, options: tls.TlsOptions = {}, isTrusted = true): Pick<Hostile, 'tls'> => ({
  tls: { certificate, options, isTrusted },
});
const okay = saying(`${OK}Content-Length: 0\r\n\r\n`);

const quick = (says: string, kind: Hostile['kind'], onSocket: Hostile['onSocket']): Hostile => ({
  ...{ says, kind, isQuick: true, onSocket },
});
const slow = (says: string, kind: Hostile['kind'], onSocket: Hostile['onSocket']): Hostile => ({
  ...{ says, kind, isQuick: false, onSocket },
});

export const HOSTILE: readonly Hostile[] = [
  slow('silence', 'timeout', () => {}),
  slow('it never reads', 'timeout', (socket) => void socket.pause()),
  slow('a status line, one byte at a time', 'timeout', dripping('HTTP/1.1 200 O', 'K')),
  slow('headers without end, one byte at a time', 'timeout', dripping(`${OK}X: `, 'y')),
  slow('a body, one byte at a time', 'answered', dripping(`${OK}Content-Length: 100000\r\n\r\n`, 'z')),
  slow('chunks of one byte', 'answered', dripping(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nz\r\n')),
  slow('103 Early Hints for ever', 'timeout', dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n')),
  quick('headers without end, fast', 'unreachable', pouring(`${OK}X: `, Buffer.alloc(65_536, 'y'))),
  quick('a hundred thousand headers', 'unreachable', saying(`${OK}${'A: b\r\n'.repeat(100_000)}\r\n`)),
  quick('one header of a megabyte', 'unreachable', saying(`${OK}A: ${'b'.repeat(1_000_000)}\r\n\r\n`)),
  quick(
    'a body of a gigabyte',
    'answered',
    pouring(`${OK}Content-Length: 1000000000\r\n\r\n`, Buffer.alloc(65_536, 'z')),
  ),
  quick('a body without a length and without an end', 'answered', pouring(`${OK}\r\n`, Buffer.alloc(65_536, 'z'))),
  quick(
    'chunks without an end',
    'answered',
    pouring(`${OK}Transfer-Encoding: chunked\r\n\r\n`, Buffer.from(`10000\r\n${'z'.repeat(65_536)}\r\n`)),
  ),
  quick(
    'a gzip bomb',
    'answered',
    saying(`${OK}Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`, BOMB),
  ),
  quick(
    'a chunk whose length is no number',
    'answered',
    saying(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`),
  ),
  quick(
    'a chunk larger than any memory',
    'answered',
    after((socket) => socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\nffffffffffffff\r\nhello`)),
  ),
  quick('two lengths', 'unreachable', saying(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`)),
  quick('a negative length', 'unreachable', saying(`${OK}Content-Length: -1\r\n\r\n`)),
  quick('a status that is no number', 'unreachable', saying('HTTP/1.1 abc OK\r\n\r\n')),
  quick('a status line of garbage', 'unreachable', saying(Buffer.from([0, 255, 1, 254, 13, 10, 13, 10]))),
  quick('HTML without a head', 'unreachable', saying('<html><body>It works!</body></html>')),
  quick('HTTP/2', 'unreachable', saying(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
  quick(
    '101 Switching Protocols',
    'unreachable',
    saying('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  ),
  quick(
    '100 Continue a hundred thousand times',
    'unreachable',
    saying('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100_000)),
  ),
  quick('it closes at once', 'unreachable', (socket) => void socket.end()),
  quick(
    'it closes after the request',
    'unreachable',
    after((socket) => void socket.end()),
  ),
  quick(
    'a reset after the request',
    'unreachable',
    after((socket) => void socket.resetAndDestroy()),
  ),
  quick(
    'half a head, then the end',
    'unreachable',
    after((socket) => void socket.end('HTTP/1.1 200 O')),
  ),
  quick(
    'a body that is cut',
    'answered',
    after((socket) => void socket.end(`${OK}Content-Length: 100\r\n\r\nabc`)),
  ),
  quick('a second answer that nobody asked for', 'answered', saying(`${OK}Content-Length: 0\r\n\r\n`.repeat(50))),
  quick('a redirect to itself', 'answered', saying('HTTP/1.1 307 T\r\nLocation: /\r\nContent-Length: 0\r\n\r\n')),
  { ...quick('a certificate that no authority issued', 'unreachable', okay), ...overTls(GOOD, {}, false) },
  { ...quick('an expired certificate', 'unreachable', okay), ...overTls(good('localhost', -3, -1)) },
  { ...quick('a certificate of tomorrow', 'unreachable', okay), ...overTls(good('localhost', 1, 3)) },
  { ...quick('a certificate for another name', 'unreachable', okay), ...overTls(good('other.example')) },
  { ...quick('TLS 1.0', 'unreachable', okay), ...overTls(GOOD, { ...OLD_TLS, maxVersion: 'TLSv1' }) },
  { ...quick('TLS 1.1', 'unreachable', okay), ...overTls(GOOD, { ...OLD_TLS, maxVersion: 'TLSv1.1' }) },
  {
    ...quick('a certificate that is not of its key', 'unreachable', okay),
    ...overTls(GOOD, { SNICallback: (_name, done) => done(new Error('no')) }),
  },
];

/** Hostile at the level of TLS itself: plain sockets that are called by https. */
export const HOSTILE_TLS: readonly Hostile[] = [
  slow('a TLS handshake that never answers', 'timeout', () => {}),
  slow('a TLS handshake of one byte a time', 'timeout', dripping('\u0016', '\u0003')),
  quick('plain HTTP where TLS was asked for', 'unreachable', saying('HTTP/1.1 400 Bad Request\r\n\r\n')),
  quick('a TLS alert', 'unreachable', saying(Buffer.from([0x15, 3, 1, 0, 2, 2, 70]))),
];

/** Opens one; returns its port. `close` ends open connections. */
export async function openHostile(one: Hostile): Promise<{ port: number; close: () => void }> {
  const sockets = new Set<Socket>();
  const take = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = one.tls
    ? tls.createServer({ ...one.tls.certificate, ...one.tls.options }, one.onSocket)
    : net.createServer(one.onSocket);
  server.on('connection', take);
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
