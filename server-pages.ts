// The pages' process: Next behind a server that only the web process can call. It ends when the web process does.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import compression from 'compression';
import next from 'next';
import { PAGES_METRICS_PATH, TOKEN_HEADER, type PagesOrder, type PagesReady } from '@/lib/api/adapters/pages-process';
import { clientHeader } from '@/lib/api/client-address';
import { keepLimitsLocal } from '@/lib/api/limits/limits';
import { startBehindServer } from '@/lib/api/adapters/next-start';
import { bufferPage, isSentWithoutFramework } from '@/lib/api/adapters/without-framework';
import { pagesText } from '@/lib/installation/metrics/pages';
import { config } from '@/lib/platform/config/config';
import { sameBytes } from '@/lib/platform/crypto';
import { pool } from '@/lib/platform/database/db';

async function serve({ token }: PagesOrder): Promise<void> {
  const { HOST, PORT, DIRECT_DOOR } = config();
  // The web process counts every request before it forwards it.
  if (DIRECT_DOOR) keepLimitsLocal();
  startBehindServer();
  const expected = Buffer.from(token);
  // Next attaches its upgrade handler to the server it is given, without a token check. So it gets a server that never listens.
  const app = next({ dev: false, hostname: HOST, port: PORT, httpServer: http.createServer() });
  await app.prepare();
  const answer = app.getRequestHandler();
  const compress = compression();
  const metrics = pagesText(pool());
  const server = http.createServer((request, response) => {
    const given = Buffer.from(String(request.headers[TOKEN_HEADER] ?? ''));
    delete request.headers[TOKEN_HEADER];
    if (!sameBytes(given, expected)) return void response.writeHead(404).end();
    if (request.url === PAGES_METRICS_PATH) {
      metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text),
        () => response.destroy(),
      );
      return;
    }
    // The web process has determined the client's address.
    Object.assign(request.headers, clientHeader(String(request.headers['x-forwarded-for'] ?? '')));
    compress(request, response, () => {
      if (isSentWithoutFramework(request)) bufferPage(response);
      answer(request, response).catch(() => response.destroy());
    });
  });
  // Only the web process closes connections, so that none closes during a request. It also cuts off slow senders.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port } satisfies PagesReady);
  });
}

// On shutdown, the web process first finishes its requests and then closes the channel.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit(0));
process.once('message', (order) => {
  serve(order as PagesOrder).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
});
