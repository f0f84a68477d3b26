import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '@/testing/chain-clock';
import { openPages, TOKEN_HEADER, type Pages } from './pages-process';

/** Speaks the channel's protocol as server-pages.ts does, and reports what it received. */
const PROGRAM = `
import http from 'node:http';
process.once('disconnect', () => process.exit(0));
process.once('message', ({ token }) => {
  const server = http.createServer((request, response) => {
    if (request.headers['${TOKEN_HEADER}'] !== token) return response.writeHead(404).end();
    if (request.url === '/end') process.exit(3);
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(201, { 'X-Page': 'yes', 'X-Pid': process.pid, 'X-Port': server.address().port });
      response.end(JSON.stringify({ method: request.method, url: request.url, host: request.headers.host, body: Buffer.concat(chunks).toString() }));
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
`;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-pages-'));
const program = path.join(directory, 'pages.mjs');
let pages: Pages;
let front: http.Server;
const origin = () => `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

beforeAll(async () => {
  fs.writeFileSync(program, PROGRAM);
  pages = await openPages(program, silentLog());
  front = http.createServer((request, response) => {
    pages.answer(request, response).catch(() => response.writeHead(503).end());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  front.close();
  pages.stop();
  fs.rmSync(directory, { recursive: true });
});

describe("the pages' process", () => {
  it('gets a request unchanged, and its response is returned unchanged', async () => {
    const response = await fetch(`${origin()}/pay/x?lang=ar`, { method: 'POST', body: 'transaction=1' });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-page')).toBe('yes');
    const host = new URL(origin()).host;
    expect(await response.json()).toEqual({ method: 'POST', url: '/pay/x?lang=ar', host, body: 'transaction=1' });
  });

  it('refuses requests without the token, and no caller can supply one', async () => {
    const answered = await fetch(`${origin()}/`, { headers: { [TOKEN_HEADER]: 'guess' } });
    expect(answered.status).toBe(201);
    const direct = await fetch(`http://127.0.0.1:${answered.headers.get('x-port')}/`, {
      headers: { [TOKEN_HEADER]: 'guess' },
    });
    expect(direct.status).toBe(404);
  });

  describe('when it exits', () => {
    afterEach(async () => expect((await untilAnswered()).status).toBe(201));

    it('is restarted, and only the request in progress is lost', async () => {
      const before = await fetch(`${origin()}/`);
      await expect(fetch(`${origin()}/end`)).rejects.toThrow('fetch failed');
      const after = await untilAnswered();
      expect(after.headers.get('x-pid')).not.toBe(before.headers.get('x-pid'));
    });
  });

  it('is ready while it answers, and not while it hangs or restarts', async () => {
    expect(await pages.isReady()).toBe(true);
    const pid = Number((await fetch(`${origin()}/`)).headers.get('x-pid'));
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await pages.isReady()).toBe(false);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await pages.isReady()).toBe(true);
    await expect(fetch(`${origin()}/end`)).rejects.toThrow('fetch failed');
    expect(await pages.isReady()).toBe(false);
    expect((await untilAnswered()).status).toBe(201);
    expect(await pages.isReady()).toBe(true);
  });

  it('is not awaited when it cannot even start', async () => {
    fs.writeFileSync(path.join(directory, 'broken.mjs'), 'process.exit(7);');
    await expect(openPages(path.join(directory, 'broken.mjs'), silentLog())).rejects.toThrow('before it was ready (7)');
  });
});

/** 503 while the process is down. */
async function untilAnswered(): Promise<Response> {
  for (let tries = 0; tries < 200; tries++) {
    const response = await fetch(`${origin()}/`).catch(() => null);
    if (response && response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the pages did not come back');
}
