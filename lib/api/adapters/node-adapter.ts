// The direct HTTP adapter: converts requests of our own HTTP server into neutral ones, and neutral responses back. It reads no
// body beyond its limit.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@/lib/platform/errors/errors';
import {
  LARGEST_BODY,
  pathOf,
  rawHeaderValues,
  SAFE_HEADERS,
  type ApiRequest,
  type ApiResponse,
} from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { connectionAddress } from '@/lib/api/client-address';
import { callerOf } from '@/lib/api/limits/admission';
import { answer, errorResponse, refuseWhenFull, toServiceError } from '@/lib/api/answer';
import type { PublicMatch } from '@/lib/api/public/operations';
import { isQuickStartPath } from '@/lib/api/operations/quick-start';
import type { Services } from '@/lib/api/services';

const NO_BODY = new Uint8Array(0);

/** Answers one request to the signed API. */
export async function answerApi(
  services: Services,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const address = connectionAddress(incoming, services.config.TRUSTED_PROXIES);
  const full = refuseWhenFull(services, pathOf(incoming), callerOf(address, incoming.headers.authorization));
  // Node discards the remainder of a short body by itself and keeps the connection open.
  if (full) return isShort(incoming) ? send(outgoing, full) : sendEarly(incoming, outgoing, full);
  let request: ApiRequest;
  try {
    const body = hasBody(incoming) ? await readBody(incoming) : NO_BODY;
    request = neutralRequest(incoming, body, address);
  } catch (error) {
    const requestId = newRequestId();
    const hasBase = isQuickStartPath(pathOf(incoming));
    const refusal = toServiceError(services, error, requestId);
    return sendEarly(incoming, outgoing, errorResponse(services, refusal, requestId, { hasBase }));
  }
  send(outgoing, await answer(services, request));
}

/** Answers one request for a public operation. */
export async function answerPublic(
  services: Services,
  { operation, params }: PublicMatch,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const answered = await operation.handle(services, {
    method: incoming.method ?? 'GET',
    params,
    address: connectionAddress(incoming, services.config.TRUSTED_PROXIES),
    authorization: incoming.headers.authorization ?? null,
    contentType: incoming.headers['content-type'] ?? '',
    readBody: () => readBody(incoming).catch(nullIfTooLarge),
  });
  return isShort(incoming) || incoming.complete ? send(outgoing, answered) : sendEarly(incoming, outgoing, answered);
}

function nullIfTooLarge(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'request_too_large') return null;
  throw error;
}

function neutralRequest(incoming: IncomingMessage, body: Uint8Array, address: string): ApiRequest {
  const path = pathOf(incoming);
  return {
    method: incoming.method ?? 'GET',
    path,
    query: (incoming.url ?? '').slice(path.length + 1),
    header: (name) => rawHeaderValues(incoming.rawHeaders, name),
    body,
    address,
  };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Whether everything that follows is known to be smaller than the limit of one body. */
const isShort = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= LARGEST_BODY;

/** Returns the whole body. Throws request_too_large as soon as the body is known to exceed its limit. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  if (Number(incoming.headers['content-length'] ?? 0) > LARGEST_BODY)
    return Promise.reject(new ServiceError('request_too_large'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > LARGEST_BODY) {
        incoming.removeAllListeners('data');
        reject(new ServiceError('request_too_large'));
      } else chunks.push(chunk);
    });
    incoming.once('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : chunks.length === 0 ? NO_BODY : Buffer.concat(chunks)),
    );
    incoming.once('error', reject);
    incoming.once('aborted', () =>
      reject(new ServiceError('INVALID_JSON', { message: 'The connection ended before the body did.' })),
    );
  });
}

/** How long the remainder of a refused body is read and discarded. A sender that is cut off at once never sees the response. */
const DISCARD_MILLISECONDS = 1000;

/** Responds before the body has been read, and closes the connection after its sender has had time to notice. */
function sendEarly(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: ApiResponse): void {
  if (outgoing.destroyed) return;
  const ended = { 'Content-Length': Buffer.byteLength(body), Connection: 'close', ...SAFE_HEADERS };
  outgoing.writeHead(status, { ...headers, ...ended });
  outgoing.write(body);
  const end = (): void => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, DISCARD_MILLISECONDS);
  incoming.on('error', end).once('end', end).once('close', end).resume();
}

/** Writes a neutral response. If the caller has disconnected, the response is dropped. */
export function send(outgoing: ServerResponse, { status, headers, body }: ApiResponse): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  outgoing.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    ...SAFE_HEADERS,
  });
  outgoing.end(body);
}
