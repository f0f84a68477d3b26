// The metrics of a process that serves nothing else: a small listener, for the worker, which answers for the signer too. The same token
// opens it as /metrics of the web process.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from '@/lib/platform/context';
import { isMetricsToken } from './token';
import { METRICS_TYPE } from './metrics';
import { processText } from './process';

export type MetricsListener = { readonly port: number; readonly close: () => void };

/** A scrape every few seconds needs no more, and a slow sender keeps nothing busy. */
const TIMEOUT_MILLISECONDS = 15_000;

/** Listens at METRICS_HOST and METRICS_PORT. Null without a port in the settings, or when the port cannot be had: money does not wait for metrics. */
export async function listenForMetrics(context: Context): Promise<MetricsListener | null> {
  const { METRICS_PORT: port, METRICS_HOST: host } = context.config;
  if (port === undefined) return null;
  const server = http.createServer({ requestTimeout: TIMEOUT_MILLISECONDS }, (request, response) => {
    const answer = (status: number, text: string): void =>
      void response
        .writeHead(status, {
          'Content-Type': status === 200 ? METRICS_TYPE : 'text/plain',
          'Cache-Control': 'no-store',
        })
        .end(text);
    if (request.method !== 'GET' || request.url !== '/metrics') return answer(404, 'not found\n');
    if (!isMetricsToken(context.config, request.headers.authorization ?? null)) return answer(401, 'unauthorized\n');
    processText(context).then(
      ({ text }) => answer(200, text),
      (error: unknown) => {
        context.log.error({ err: error }, 'the metrics could not be written');
        answer(500, 'failed\n');
      },
    );
  });
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  } catch (error) {
    context.log.error({ err: error, host, port }, 'the metrics are not served: their port cannot be opened');
    return null;
  }
  server.on('error', (error) => context.log.error({ err: error }, 'the listener of the metrics failed'));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
