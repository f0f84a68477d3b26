// The web process: one HTTP server with two doors to the same handlers. The signed API, the page's status polling and the
// health check are answered directly, because Next's router costs ten times their own work; everything else is Next's, which
// runs in a process of its own.

import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { answerCron } from '@/lib/api/cron';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { addressOf, answerApi, isCanonical, pathOf, send } from '@/lib/api/node-door';
import { answerOpenApi } from '@/lib/api/openapi/serve';
import { openPages, type Pages } from '@/lib/api/pages-process';
import { answerPublicStatus, checkPageRate } from '@/lib/api/public-status';
import { isApiPath } from '@/lib/api/routes';
import { services as openedServices, type Services } from '@/lib/api/services';
import { answerMetrics, answerStatus } from '@/lib/api/status';
import { passToSandbox, isSandboxPath } from '@/lib/api/sandbox-proxy';
import { ServiceError } from '@/lib/errors';
import { healthAnswer } from '@/lib/health';
import { newRequestId } from '@/lib/ids';
import { aborted, stopSignal } from '@/lib/process';

const CRON_PATH = '/api/cron';
/** Slow senders are cut off: headers within 15 s, the whole request within 30 s. */
const HEADERS_MILLISECONDS = 15_000;
const REQUEST_MILLISECONDS = 30_000;
/** Longer than the usual idle time of a load balancer, so that it is never the server that closes first. */
const KEEP_ALIVE_MILLISECONDS = 75_000;
/** Requests in flight may end before the process does. */
const DRAIN_MILLISECONDS = 10_000;

/** Beside this program in dist/. */
const PAGES_PROGRAM = fileURLToPath(new URL('./pages.mjs', import.meta.url));

/** Whether the direct door answers it; dot segments and the cron path are for `route` to decide about. */
function isSignedApi(request: IncomingMessage): boolean {
  const path = pathOf(request);
  const isCron = path === CRON_PATH && request.method === 'POST';
  return isApiPath(path) && !isCron && isCanonical(path);
}

/** Which door any other request goes through. */
async function route(
  services: Services,
  pages: Pages,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  const address = () => addressOf(request, services.config.TRUSTED_PROXIES);
  // A target that others would read differently (dot segments, a foreign host) could slip past what is decided here.
  if (!isCanonical(path)) throw new ServiceError('NOT_FOUND');
  if (services.config.DIRECT_DOOR) {
    if (path === CRON_PATH && request.method === 'POST')
      return send(response, await answerCron(services, request.headers.authorization ?? null));
    const session = request.method === 'GET' ? /^\/pay\/([^/]+)\/status$/.exec(path) : null;
    if (session) return send(response, await answerPublicStatus(services, session[1] as string, address()));
    // Asked for every few seconds by machines that watch this one.
    if (path === '/metrics' && request.method === 'GET')
      return send(response, await answerMetrics(services, request.headers.authorization ?? null));
    if (path === '/status.json' && request.method === 'GET')
      return send(response, await answerStatus(services, address()));
    if (path === '/openapi.json' && request.method === 'GET') return send(response, answerOpenApi(services, address()));
  }
  if (path === '/health') return send(response, await healthAnswer(services));
  if (services.config.SANDBOX_ORIGIN && isSandboxPath(path))
    return passToSandbox(services.config.SANDBOX_ORIGIN, request, response);
  // The image optimizer has been the door of attacks and no page uses it (architecture: Next.js rules).
  if (path.startsWith('/_next/image')) return send(response, { status: 404, headers: {}, body: '' });
  if (!path.startsWith('/_next/static/')) checkPageRate(services, address());
  // Next tells its handlers no peer; they learn the client's address from here and from nobody else.
  request.headers['x-forwarded-for'] = address();
  return pages.answer(request, response);
}

async function main(): Promise<void> {
  const services = openedServices();
  const { config, log } = services;
  const stop = stopSignal(config.STOP_WITH_PARENT);
  const pages = await openPages(PAGES_PROGRAM, log);

  const server = http.createServer((request, response) => {
    // The signed API first and by the shortest way: it is what is called thousands of times a second.
    if (config.DIRECT_DOOR && isSignedApi(request)) return void answerApi(services, request, response);
    route(services, pages, request, response).catch((error: unknown) => {
      const requestId = newRequestId();
      send(response, errorResponse(services, toServiceError(services, error, requestId), requestId));
    });
  });
  Object.assign(server, {
    headersTimeout: HEADERS_MILLISECONDS,
    requestTimeout: REQUEST_MILLISECONDS,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
  });
  // Nothing here speaks another protocol, and an upgrade has been a way to reach other hosts.
  server.on('upgrade', (_request, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.PORT, config.HOST, resolve));
  log.info({ host: config.HOST, port: config.PORT }, 'listening');

  await aborted(stop);
  const drained = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), DRAIN_MILLISECONDS).unref();
  await drained;
  pages.stop();
  await services.pool.end();
  process.exit(0);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
