// Classifies an endpoint's refusals: too many blocks, throttling, or a missing method. Providers use the same codes for all
// three, so the wording decides.

import { ChainError, type ChainErrorDetails, type ChainFault } from '@/lib/networks/chain';

/** Placeholder for a body that is not JSON. */
export const UNUSABLE = Symbol('unusable');

/** The node answered with a JSON-RPC error. */
export class RpcError extends ChainError {
  readonly code: number;
  /** The node does not offer the method at all. */
  readonly methodMissing: boolean;
  readonly #text: string;
  constructor(
    fault: ChainFault,
    message: string,
    answer: { readonly code: number; readonly methodMissing: boolean; readonly text: string },
    details?: ChainErrorDetails,
  ) {
    super(fault, message, details);
    this.name = 'RpcError';
    this.code = answer.code;
    this.methodMissing = answer.methodMissing;
    this.#text = answer.text;
  }

  /** Whether the node's error text matches. Nothing else reads that text, because providers put keys into it. */
  matches(pattern: RegExp): boolean {
    return pattern.test(this.#text);
  }
}

/** The endpoint accepts fewer calls per request than it received. The client retries with fewer (client.ts). */
export class BatchRefused extends ChainError {
  constructor(name: string, calls: number) {
    super('unavailable', `${name} does not take ${calls} calls in one request`, { demotes: false });
    this.name = 'BatchRefused';
  }
}

/** The content of one request: the number of calls, the method in question, and whether all calls use it. */
export type RequestFacts = { readonly method: string; readonly calls: number; readonly isWhole?: boolean };

/** Methods whose answer grows with the window, so that a smaller window helps. All of them are EVM methods. */
const GROWING = new Set(['eth_getLogs', 'eth_getBlockReceipts']);
/** The method that a refusal of a whole request is about: the one whose answer grows, if the request contains it. */
export const methodOf = (calls: readonly { readonly method: string }[]): string =>
  (calls.find(({ method }) => GROWING.has(method)) ?? calls[0])?.method ?? 'nothing';

/** The codes vary (-32005, -32602, -32614 and others), so only the wording is checked. */
const TOO_LARGE = /limit|range|too many|too large|more than|exceed|response size/i;
/** Worded like a limit, but about our rate or account: fewer blocks per call would only cause more calls. */
const THROTTLED = /\brate\b|per second|per minute|daily|quota|credit|capacity|throughput|too many requests/i;
const METHOD_MISSING =
  /not (?:found|supported|available|allowed|enabled|whitelisted)|does not exist|disabled|unsupported/i;
const METHOD_NOT_FOUND = -32601;
/** Refusals of a request with several calls. Codes differ (31, -32600, -32005 and others), so the wording decides. */
const BATCH = /\bbatch/i;
/** Errors of a node that does not support batches: the array is an invalid request, or unparsable. */
const UNREADABLE_REQUEST: ReadonlySet<number> = new Set([-32600, -32700]);

/**
 * Converts a JSON-RPC error into a fault. The node's own text is classified but never repeated, because providers put keys into
 * it.
 */
export function answerFault(
  name: string,
  { method, calls, isWhole = false }: RequestFacts,
  error: { code: number; message: string },
): ChainError {
  const { code, message: text } = error;
  if (calls > 1 && (BATCH.test(text) || (isWhole && UNREADABLE_REQUEST.has(code))))
    return new BatchRefused(name, calls);
  const about = `${name} refused ${method} with error ${code}`;
  const fault = (kind: ChainFault, what: string, methodMissing = false, details?: ChainErrorDetails) =>
    new RpcError(kind, about + what, { code, methodMissing, text }, details);
  if (THROTTLED.test(text)) return fault('unavailable', ' (its rate limit)', false, { throttled: true });
  const missing = code === METHOD_NOT_FOUND || (GROWING.has(method) && METHOD_MISSING.test(text));
  if (missing) return fault('unavailable', ' (not offered)', true);
  if (GROWING.has(method) && TOO_LARGE.test(text)) return fault('too_large', ' (too much at once)');
  return fault('unavailable', '');
}

/** A timeout: a growing answer may have been too large; otherwise another endpoint should be tried first. */
export function timeoutFault(name: string, method: string): ChainError {
  const fault = GROWING.has(method) ? 'too_large' : 'unavailable';
  return new ChainError(fault, `${name} did not answer ${method} in time`, { demotes: true });
}

/** The answer exceeded the size cap. The client retries several calls in smaller requests (client.ts). */
export class AnswerTooLong extends ChainError {
  constructor(name: string, method: string) {
    const fault = GROWING.has(method) ? 'too_large' : 'unavailable';
    super(fault, `${name} answered ${method} with more than may be read`);
  }
}

/** The fault of an HTTP error status, with the retry delay that it requests. */
export function statusFault(
  name: string,
  { method, calls }: RequestFacts,
  status: number,
  retryAfter: string | string[] | undefined,
): ChainError {
  if (status === 413 && calls > 1) return new BatchRefused(name, calls);
  if (status === 413 && GROWING.has(method)) {
    return new ChainError('too_large', `${name} answered ${method} with status 413`);
  }
  // Seconds only: no known provider uses the date form, and backoff covers it.
  const seconds =
    typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {};
  const details = { ...seconds, throttled: status === 429 };
  return new ChainError('unavailable', `${name} answered ${method} with status ${status}`, details);
}
