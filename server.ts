// The web process: one HTTP server with two adapters to the same operations. It answers the signed API and the public operations
// directly, because Next's router costs ten times their own work. Next serves everything else, in a process of its own. Plain
// `next start` serves the same without it, more slowly.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drained, endConnections } from '@/lib/api/adapters/drain';
import { createFrontServer } from '@/lib/api/adapters/front-server';
import { openPages } from '@/lib/api/adapters/pages-process';
import { services as openedServices } from '@/lib/api/services';
import { recordObjectives } from '@/lib/installation/status/record-objectives';
import { refuseUnsafeStart } from '@/lib/api/start-web';
import { aborted, stopSignal } from '@/lib/platform/process';
import { startTracing } from '@/lib/platform/tracing/tracing';
import { flushSecurityEvents } from '@/lib/platform/security/events';

/** In dist/, beside this program. */
const PAGES_PROGRAM = fileURLToPath(new URL('./pages.mjs', import.meta.url));

async function main(): Promise<void> {
  const services = openedServices();
  const { config, log } = services;
  await refuseUnsafeStart(services);
  const traces = await startTracing(config, 'web');
  const stop = stopSignal(config.STOP_WITH_PARENT);
  const pages = await openPages(PAGES_PROGRAM, log);
  services.arePagesReady = () => pages.isReady();
  services.readPagesMetrics = () => pages.metrics();
  const server = createFrontServer(services, pages);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.PORT, config.HOST, resolve));
  log.info({ host: config.HOST, port: config.PORT }, 'listening');

  await aborted(stop);
  services.isStopping = true;
  endConnections(server);
  await sleep(config.DRAIN_SECONDS * 1000);
  await drained(server);
  pages.stop();
  await flushSecurityEvents(services);
  await recordObjectives(services).catch((error: unknown) => log.warn({ err: error }, 'the last counts are lost'));
  await traces?.stop();
  services.limits.close();
  await services.pool.end();
  process.exit(0);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
