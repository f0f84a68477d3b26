// A message forwarded between processes arrives once, whole and framed for its own connection, whatever the caller sends.

import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forwardRequest } from './forward-request';

type Seen = { method: string; url: string; body: string; headers: http.IncomingHttpHeaders };
let seen: Seen[] = [];
let behind: http.Server;
let front: http.Server;
const agent = new http.Agent({ keepAlive: true });
const portOf = (server: http.Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  behind = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ method: request.method!, url: request.url!, body, headers: request.headers });
      // In two pieces without a length, as pages are rendered.
      response.writeHead(200, { 'X-Page': 'yes' });
      response.write('<p>one</p>');
      response.end('<p>two</p>');
    });
  });
  front = http.createServer((request, response) => {
    response.setHeader('X-PAGE', 'set before');
    const target = { hostname: '127.0.0.1', port: portOf(behind), agent, headers: { 'x-token': 'ours' } };
    void forwardRequest(target, request, response);
  });
  for (const server of [behind, front]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
});
afterAll(() => {
  agent.destroy();
  for (const server of [front, behind]) server.close();
});
beforeEach(() => void (seen = []));

/** Sends text as it is and returns everything received until the connection ends or is quiet after a response. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(portOf(front), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setTimeout(5000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      socket.setTimeout(500);
    });
    socket.once('error', reject).once('close', () => resolve(answer));
  });
}

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;

describe('a request', () => {
  it.each(['GET', 'DELETE', 'OPTIONS', 'POST'])(
    '%s with a body in chunks arrives as one, body included',
    async (method) => {
      const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
      const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
      const answer = await exchange(
        lines(`${method} /page HTTP/1.1`, 'Host: x', 'Transfer-Encoding: chunked', 'Connection: transfer-encoding') +
          chunk,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(seen.map(({ url, body }) => ({ url, body }))).toEqual([{ url: '/page', body: hidden }]);
    },
  );

  it.each([
    ['both a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['two lengths', ['Content-Length: 4', 'Content-Length: 30']],
    ['chunks that are not the last coding', ['Transfer-Encoding: chunked, identity']],
  ])('with %s is refused and never forwarded', async (_what, framing) => {
    const answer = await exchange(
      `${lines('POST /page HTTP/1.1', 'Host: x', ...framing)}0\r\n\r\nGET /hidden HTTP/1.1\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen).toEqual([]);
  });

  it('whose body waits for 100 Continue arrives whole', async () => {
    const answer = await exchange(
      `${lines('POST /page HTTP/1.1', 'Host: x', 'Expect: 100-continue', 'Content-Length: 4')}body`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(seen).toMatchObject([{ url: '/page', body: 'body' }]);
  });

  it('cannot set or remove the headers that are set on it, nor keep the inner connection open', async () => {
    await exchange(
      lines('GET /page HTTP/1.1', 'Host: x', 'X-Token: theirs', 'Connection: x-token, close', 'Keep-Alive: timeout=1'),
    );
    expect(seen[0]?.headers).toMatchObject({ 'x-token': 'ours', connection: 'keep-alive' });
    expect(seen[0]?.headers).not.toHaveProperty('keep-alive');
  });

  it('that is aborted leaves the inner connections usable', async () => {
    await exchange(`${lines('POST /page HTTP/1.1', 'Host: x', 'Content-Length: 100')}half`);
    const response = await fetch(`http://127.0.0.1:${portOf(front)}/next`);
    expect(await response.text()).toBe('<p>one</p><p>two</p>');
    expect(seen.map(({ url }) => url)).toEqual(['/next']);
  });
});

describe('a response', () => {
  it('is framed for the outer connection: no chunks for a client that does not know them', async () => {
    const answer = await exchange(lines('GET /page HTTP/1.0'));
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer.split('\r\n\r\n')[1]).toBe('<p>one</p><p>two</p>');
  });
});

it('a header of the response replaces one that was set before', async () => {
  const answer = await exchange(lines('GET / HTTP/1.1', 'Host: a', 'Connection: close'));
  expect(answer.match(/^x-page:.*$/gim)).toEqual(['x-page: yes']);
});

it('is not sent for a caller that left while the request was checked', async () => {
  let answered: (() => Promise<void>) | null = null;
  const checking = http.createServer((request, response) => {
    response.once('close', () => {
      answered = () => forwardRequest({ hostname: '127.0.0.1', port: portOf(behind) }, request, response);
    });
    socket.destroy();
  });
  await new Promise<void>((resolve) => checking.listen(0, '127.0.0.1', resolve));
  const socket = net.connect(portOf(checking), '127.0.0.1', () => socket.write(lines('GET / HTTP/1.1', 'Host: a')));
  await vi.waitFor(() => expect(answered).not.toBeNull());
  await answered!();
  expect(seen).toEqual([]);
  checking.close();
});
