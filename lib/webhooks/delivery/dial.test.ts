import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { openReceiver, type Behaviour } from '@/testing/receivers/receiver';
import { callReceiver, type CallOptions } from './dial';
import type { Lookup } from './resolve';
import type { Outcome } from './schedule';

const near: CallOptions = { reach: { toLoopback: true }, deadlineMilliseconds: 1500 };
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const message = (url: string) => ({
  url,
  headers: () => ({ 'Content-Type': 'application/json' }),
  body: '{}',
});

async function answeredBy(behave: Behaviour, options: CallOptions = near): Promise<Outcome> {
  const receiver = await openReceiver(behave);
  closing.push(receiver.close);
  return callReceiver(message(receiver.url), options);
}

/** A server that handles raw bytes instead of HTTP. */
async function rawServer(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
const callRaw = async (onSocket: (socket: Socket) => void, options: CallOptions = near): Promise<Outcome> =>
  callReceiver(message(`http://127.0.0.1:${await rawServer(onSocket)}/`), options);
/** Responds with these bytes to the first byte of a request. */
const saying =
  (...parts: (string | Buffer)[]) =>
  (socket: Socket) =>
    void socket.once('data', () => {
      for (const part of parts) socket.write(part);
    });

describe('W-06: an answer’s status is reported, and nothing is followed:', () => {
  test.each([200, 201, 204, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503])('%i', async (status) => {
    let visits = 0;
    const elsewhere = await openReceiver(() => (visits++, 200));
    closing.push(elsewhere.close);
    const outcome = await answeredBy(
      () => (answer) => void answer.writeHead(status, { location: elsewhere.url }).end(),
    );
    expect(outcome).toEqual({ kind: 'answered', status, answer: '' });
    expect(visits).toBe(0);
  });
});

describe('a receiver that gives no response', () => {
  test('because it cuts the connection is unreachable', async () => {
    expect(await answeredBy(() => 'close')).toMatchObject({ kind: 'unreachable', error: 'UND_ERR_SOCKET' });
  });
  test('because no process listens is unreachable, and the error names no address', async () => {
    const outcome = await callReceiver(message('http://127.0.0.1:9/'), near);
    expect(outcome).toEqual({ kind: 'unreachable', error: 'ECONNREFUSED' });
  });
  test('W-12: because it hangs times out at the deadline, not before and hardly after', async () => {
    const began = performance.now();
    expect(await answeredBy(() => 'hang', { ...near, deadlineMilliseconds: 400 })).toEqual({ kind: 'timeout' });
    const took = performance.now() - began;
    expect(took).toBeGreaterThanOrEqual(395);
    expect(took).toBeLessThan(3000);
  });
  test('because its name server hangs times out too', async () => {
    const options = {
      reach: { toLoopback: false },
      deadlineMilliseconds: 200,
      lookup: () => new Promise<never>(() => {}),
    };
    expect(await callReceiver(message('https://shop.example.com/'), options)).toEqual({ kind: 'timeout' });
  });
  test('because its name does not exist is unreachable', async () => {
    const nowhere: Lookup = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    const options = { reach: { toLoopback: false }, lookup: nowhere };
    expect(await callReceiver(message('https://shop.example.com/'), options)).toEqual({
      kind: 'unreachable',
      error: 'ENOTFOUND',
    });
  });
});

describe('a hostile receiver is bounded in time and bytes:', () => {
  const short = { ...near, deadlineMilliseconds: 500 };
  test('header bytes that drip for ever', async () => {
    const outcome = await callRaw((socket) => {
      const timer = setInterval(() => socket.write('x'), 20);
      socket.write('HTTP/1.1 200 OK\r\nX: ');
      socket.on('close', () => clearInterval(timer));
    }, short);
    expect(outcome).toEqual({ kind: 'timeout' });
  });
  test('a body that drips for ever: the status counts', async () => {
    const outcome = await answeredBy(
      () => (answer) => {
        const timer = setInterval(() => answer.write('y'), 20);
        answer.on('close', () => clearInterval(timer));
      },
      // Its first bytes must arrive before that, also on a busy machine.
      { ...near, deadlineMilliseconds: 2000 },
    );
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, answer: expect.stringMatching(/^y+$/) });
  });
  test('an endless body is cut after 16 KiB and 2 kB of it are stored', async () => {
    let sent = 0;
    const outcome = await answeredBy(() => (answer) => {
      const pour = () => {
        while (!answer.destroyed && sent < 1e9 && answer.write(Buffer.alloc(65_536, 'z'))) sent += 65_536;
        if (!answer.destroyed) answer.once('drain', pour);
      };
      pour();
    });
    expect(outcome).toEqual({ kind: 'answered', status: 200, answer: 'z'.repeat(2048) });
    expect(sent).toBeLessThan(20_000_000);
  });
  test('a hundred thousand headers', async () => {
    const outcome = await callRaw(saying(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(100_000)}\r\n`));
    expect(outcome.kind).toBe('unreachable');
  });
  test.each<[string, (string | Buffer)[]]>([
    ['bytes that are not HTTP', [Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0])]],
    ['a TLS alert', [Buffer.from([0x15, 3, 1, 0, 2, 2, 70])]],
    ['two lengths', ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab']],
    ['a status that is no number', ['HTTP/1.1 abc OK\r\n\r\n']],
    ['another protocol', ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n']],
  ])('%s', async (_, parts) => {
    expect((await callRaw(saying(...parts), short)).kind).toMatch(/unreachable|timeout/);
  });
  test('bad chunks after a good head: the status counts', async () => {
    const outcome = await callRaw(saying('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n'));
    expect(outcome).toEqual({ kind: 'answered', status: 200, answer: '' });
  });
  test('endless provisional responses', async () => {
    const outcome = await callRaw((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    }, short);
    expect(outcome).toEqual({ kind: 'timeout' });
  });
  test('compressed bytes are stored as they are, never unpacked', async () => {
    const outcome = await answeredBy(
      () => (answer) =>
        void answer.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.from([0x1f, 0x8b, 8, 0, 0x41])),
    );
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, answer: expect.stringContaining('A') });
    expect((outcome as { answer: string }).answer).not.toContain('\0');
  });
  test('text is cut between characters', async () => {
    const outcome = await answeredBy(() => (answer) => void answer.end('🧾'.repeat(1000) + '\0'));
    expect(outcome).toMatchObject({ answer: '🧾'.repeat(512) });
    expect(await answeredBy(() => (answer) => void answer.end(`x${'🧾'.repeat(1000)}`))).toMatchObject({
      answer: `x${'🧾'.repeat(511)}`,
    });
  });
});

describe('W-05: a name that changes its address', () => {
  const far: CallOptions = { reach: { toLoopback: false }, deadlineMilliseconds: 1500 };
  const turning = (answers: string[]) => {
    let lookups = 0;
    const lookup: Lookup = async () => [{ address: answers[lookups++] ?? 'none', family: 4 }];
    return { lookup, lookups: () => lookups };
  };
  test('to a private one after it was saved is refused', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254']) {
      const { lookup } = turning([address]);
      const outcome = await callReceiver(message('https://shop.example.com/'), { ...far, lookup });
      expect([address, outcome]).toEqual([address, { kind: 'refused', error: 'ADDRESS_NOT_ALLOWED' }]);
    }
  });
  test('between check and connection gains nothing: it is resolved once and dialled at that address', async () => {
    let visits = 0;
    const port = await rawServer(() => visits++);
    // The one name that may lead to this machine; a second lookup would lead away from it.
    const { lookup, lookups } = turning(['127.0.0.1', '10.0.0.1']);
    const outcome = await callReceiver(message(`http://localhost:${port}/`), {
      ...near,
      deadlineMilliseconds: 300,
      lookup,
    });
    expect([outcome.kind, visits, lookups()]).toEqual(['timeout', 1, 1]);
  });
});

test('proxy settings of the environment are not used', async () => {
  let proxied = 0;
  const proxy = http.createServer((_, answer) => {
    proxied++;
    answer.end();
  });
  proxy.on('connect', (_, socket) => {
    proxied++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closing.push(() => proxy.close());
  const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) vi.stubEnv(name, at);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  expect(await answeredBy(() => 200)).toMatchObject({ status: 200 });
  vi.unstubAllEnvs();
  expect(proxied).toBe(0);
});
