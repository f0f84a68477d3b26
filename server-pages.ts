// The pages' process: Next behind a door that only the web process knows. It ends when the web process does.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import compression from 'compression';
import next from 'next';
import { TOKEN_HEADER, type PagesOrder, type PagesReady } from '@/lib/api/adapters/pages-process';
import { keepLimitsLocal } from '@/lib/api/limits/limits';
import { holdForPage, isSentWithoutFramework } from '@/lib/api/adapters/without-framework';
import { config } from '@/lib/platform/config/config';
import { sameBytes } from '@/lib/platform/crypto';

async function serve({ token }: PagesOrder): Promise<void> {
  const { HOST, PORT, DIRECT_DOOR } = config();
  // The web process counts every request before it passes it on.
  if (DIRECT_DOOR) keepLimitsLocal();
  const expected = Buffer.from(token);
  // Next would listen for upgrades on the server it is asked through, where nobody checks the token; it gets one that is nobody's.
  const app = next({ dev: false, hostname: HOST, port: PORT, httpServer: http.createServer() });
  await app.prepare();
  const answer = app.getRequestHandler();
  const compress = compression();
  const server = http.createServer((request, response) => {
    const given = Buffer.from(String(request.headers[TOKEN_HEADER] ?? ''));
    delete request.headers[TOKEN_HEADER];
    if (!sameBytes(given, expected)) return void response.writeHead(404).end();
    compress(request, response, () => {
      if (isSentWithoutFramework(request)) holdForPage(response);
      answer(request, response).catch(() => response.destroy());
    });
  });
  // The web process closes connections, never this one, so that none is closed under a request. Slow senders are its concern.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port } satisfies PagesReady);
  });
}

// Asked to end, the web process first lets its requests end, and then closes the channel.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit(0));
process.once('message', (order) => {
  serve(order as PagesOrder).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
});
