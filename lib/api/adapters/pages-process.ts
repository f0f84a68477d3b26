// Next runs in its own process behind the web process. Rendering a page takes milliseconds of processor time, and Next makes
// every promise of its process slower, so neither may affect the signed API. The web process authenticates to it with a token
// sent over the channel between them, so that no other process on the machine gets a response.

import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Log } from '@/lib/platform/log';
import { forwardRequest } from './forward-request';

/** The header that carries the token. It is removed before Next sees the request. */
export const TOKEN_HEADER = 'x-stabletill-pages';
/** Where the pages' process shows its metrics to the web process. */
export const PAGES_METRICS_PATH = '/metrics-of-this-process';
/** The first message of the web process, and the message that it receives when the pages are ready. */
export type PagesOrder = { readonly token: string };
export type PagesReady = { readonly port: number };

const HOST = '127.0.0.1';
const RESTART_MILLISECONDS = 500;
/** A process that takes longer to refuse a request does not answer. A page may take longer; other requests are answered meanwhile. */
const READY_MILLISECONDS = 2000;
/** The message for callers while the pages restart. */
const RETRY_SECONDS = 2;
const METRICS_MILLISECONDS = 3000;

export type Pages = {
  /** Requests the response from a page. Throws SERVICE_UNAVAILABLE while the process restarts. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Whether the process answers now. */
  isReady(): Promise<boolean>;
  /** Its metrics in Prometheus' format; empty while it restarts. */
  metrics(): Promise<string>;
  stop(): void;
};

/** Starts the pages' program and keeps it running. Resolves when it responds; throws if it exits before its first response. */
export async function openPages(program: string, log: Log): Promise<Pages> {
  const token = randomBytes(32).toString('base64url');
  const agent = new http.Agent({ keepAlive: true });
  let stopping = false;
  let child = startPages(program, token);
  let port: number | null = await child.ready;

  async function keep(): Promise<void> {
    for (;;) {
      const code = await child.ended;
      if (stopping) return;
      port = null;
      log.error({ code }, "the pages' process ended and is started again");
      await sleep(RESTART_MILLISECONDS);
      child = startPages(program, token);
      port = await child.ready.catch(() => null);
    }
  }
  void keep();

  return {
    answer(request, response) {
      if (port === null) return Promise.reject(new ServiceError('SERVICE_UNAVAILABLE', { retryAfter: RETRY_SECONDS }));
      return forwardRequest({ hostname: HOST, port, agent, headers: { [TOKEN_HEADER]: token } }, request, response);
    },
    isReady: () => (port === null ? Promise.resolve(false) : answers(port)),
    metrics: () => (port === null ? Promise.resolve('') : readMetrics({ port, agent, token })),
    stop() {
      stopping = true;
      child.end();
      agent.destroy();
    },
  };
}

/** A request without the token is refused at once, so any answer shows that the process works. */
async function answers(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(READY_MILLISECONDS);
    const response = await fetch(`http://${HOST}:${port}/`, { signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** Empty when the process does not answer in time: the scrape has the other metrics then. */
function readMetrics({ port, agent, token }: { port: number; agent: http.Agent; token: string }): Promise<string> {
  return new Promise((resolve) => {
    const options = { hostname: HOST, port, agent, path: PAGES_METRICS_PATH, timeout: METRICS_MILLISECONDS };
    const request = http.get({ ...options, headers: { [TOKEN_HEADER]: token } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve(response.statusCode === 200 ? text : ''));
      response.once('error', () => resolve(''));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(''));
  });
}

type Started = { readonly ready: Promise<number>; readonly ended: Promise<string>; end(): void };

function startPages(program: string, token: string): Started {
  const child: ChildProcess = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? String(code)));
    child.once('error', (error) => resolve(error.message));
  });
  const ready = new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as PagesReady).port));
    void ended.then((how) => reject(new Error(`The pages' process ended before it was ready (${how}).`)));
  });
  child.send({ token } satisfies PagesOrder);
  return { ready, ended, end: () => void (child.connected && child.disconnect()) };
}
