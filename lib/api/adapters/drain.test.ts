// What happens to requests when the web process shuts down (O-05).

import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { drained, endConnections } from './drain';

/** A server that responds when the test lets it. */
async function open() {
  const waiting: ServerResponse[] = [];
  const server = http.createServer((_, response) => void waiting.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true });
  const call = () =>
    new Promise<number>((resolve, reject) => {
      http
        .get({ port, host: '127.0.0.1', agent }, (response) => resolve(response.resume().statusCode ?? 0))
        .on('error', reject);
    });
  const arrived = async (count: number) => {
    while (waiting.length < count) await once(server, 'request');
  };
  return { server, call, arrived, waiting };
}

test('O-05: a shutdown finishes requests in progress, closes idle connections, and accepts no new one', async () => {
  const { server, call, arrived, waiting } = await open();
  const first = call();
  await arrived(1);
  waiting[0]?.end();
  expect(await first).toBe(200);
  const inFlight = call();
  await arrived(2);
  // Longer than any test may take: only the response can end it.
  const over = drained(server, 600_000);
  await expect(call()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  waiting[1]?.end('done');
  expect(await inFlight).toBe(200);
  await over;
});

test('O-05: before a shutdown every connection ends with its next response, and new ones are accepted', async () => {
  const { server, call, arrived, waiting } = await open();
  let connections = 0;
  server.on('connection', () => connections++);
  const answered = async (count: number) => {
    const response = call();
    await arrived(count);
    waiting[count - 1]?.end();
    return response;
  };
  expect([await answered(1), await answered(2), connections]).toEqual([200, 200, 1]);
  endConnections(server);
  expect([await answered(3), await answered(4), await answered(5), connections]).toEqual([200, 200, 200, 3]);
  await drained(server);
});

test('O-05: a request that exceeds the timeout is cut off', async () => {
  const { server, call, arrived } = await open();
  const never = call();
  const cut = never.then(
    () => 'answered',
    (error: unknown) => (error as { code?: string }).code,
  );
  await arrived(1);
  await drained(server, 50);
  expect(await cut).toBe('ECONNRESET');
});
