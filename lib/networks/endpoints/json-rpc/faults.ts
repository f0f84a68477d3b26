// What an endpoint's refusals mean: which of them ask for fewer blocks, which for patience, and which say that a method is
// not there at all. Providers use the same codes for all three, so their wording decides (chains.md 2.1, Limits).

import { ChainError, type ChainErrorDetails, type ChainFault } from '@/lib/networks/chain';

/** Stands for a body that is not JSON. */
export const UNUSABLE = Symbol('unusable');

/** The node answered, and the answer is a JSON-RPC error. */
export class RpcError extends ChainError {
  readonly code: number;
  /** The node does not offer the method, whatever is asked. */
  readonly methodMissing: boolean;
  readonly #said: string;
  constructor(
    fault: ChainFault,
    message: string,
    answer: { readonly code: number; readonly methodMissing: boolean; readonly said: string },
    details?: ChainErrorDetails,
  ) {
    super(fault, message, details);
    this.name = 'RpcError';
    this.code = answer.code;
    this.methodMissing = answer.methodMissing;
    this.#said = answer.said;
  }

  /** Whether the node's own text matches; nothing else ever reads it, since providers put keys into it. */
  says(pattern: RegExp): boolean {
    return pattern.test(this.#said);
  }
}

/** The endpoint takes fewer calls in one request than it was given. The client asks again with fewer (client.ts). */
export class BatchRefused extends ChainError {
  constructor(name: string, calls: number) {
    super('unavailable', `${name} does not take ${calls} calls in one request`, { demotes: false });
    this.name = 'BatchRefused';
  }
}

/** What was asked in one request: how many calls, the method of the one that is spoken of, and whether all of them are. */
export type Asked = { readonly method: string; readonly calls: number; readonly isWhole?: boolean };

/** Methods whose answer grows with the window, so that "too much" can be helped by asking for less; all of them are of EVM nodes. */
const GROWING = new Set(['eth_getLogs', 'eth_getBlockReceipts']);
/** The method that a refusal of a whole request is about: the one whose answer grows, if it holds such a call. */
export const methodOf = (calls: readonly { readonly method: string }[]): string =>
  (calls.find(({ method }) => GROWING.has(method)) ?? calls[0])?.method ?? 'nothing';

/** The codes are -32005, -32602, -32614 and others, so only the words are looked at. */
const TOO_LARGE = /limit|range|too many|too large|more than|exceed|response size/i;
/** Worded like a limit, but on our pace or account: fewer blocks per call would only make more calls. */
const THROTTLED = /\brate\b|per second|per minute|daily|quota|credit|capacity|throughput|too many requests/i;
const METHOD_MISSING =
  /not (?:found|supported|available|allowed|enabled|whitelisted)|does not exist|disabled|unsupported/i;
const METHOD_NOT_FOUND = -32601;
/** Said of a request with several calls. Codes differ (31, -32600, -32005 and others), so the words decide. */
const BATCH = /\bbatch/i;
/** What a node says that reads one call a request: the list is no valid request, or no JSON that it knows. */
const UNREADABLE_REQUEST: ReadonlySet<number> = new Set([-32600, -32700]);

/** A JSON-RPC error as a fault. The node's own text is judged but not repeated, since providers put keys into it. */
export function answerFault(
  name: string,
  { method, calls, isWhole = false }: Asked,
  error: { code: number; message: string },
): ChainError {
  const { code, message: said } = error;
  if (calls > 1 && (BATCH.test(said) || (isWhole && UNREADABLE_REQUEST.has(code))))
    return new BatchRefused(name, calls);
  const about = `${name} refused ${method} with error ${code}`;
  const fault = (kind: ChainFault, what: string, methodMissing = false, details?: ChainErrorDetails) =>
    new RpcError(kind, about + what, { code, methodMissing, said }, details);
  if (THROTTLED.test(said)) return fault('unavailable', ' (its rate limit)', false, { throttled: true });
  const missing = code === METHOD_NOT_FOUND || (GROWING.has(method) && METHOD_MISSING.test(said));
  if (missing) return fault('unavailable', ' (not offered)', true);
  if (GROWING.has(method) && TOO_LARGE.test(said)) return fault('too_large', ' (too much at once)');
  return fault('unavailable', '');
}

/** No answer in time: for a growing answer perhaps too much was asked, and another endpoint is better asked first. */
export function timeoutFault(name: string, method: string): ChainError {
  const fault = GROWING.has(method) ? 'too_large' : 'unavailable';
  return new ChainError(fault, `${name} did not answer ${method} in time`, { demotes: true });
}

/** The answer was longer than the cap. Of several calls each is asked for with fewer others (client.ts). */
export class AnswerTooLong extends ChainError {
  constructor(name: string, method: string) {
    const fault = GROWING.has(method) ? 'too_large' : 'unavailable';
    super(fault, `${name} answered ${method} with more than may be read`);
  }
}

/** An HTTP status that carries no answer, with what it says about asking again. */
export function statusFault(
  name: string,
  { method, calls }: Asked,
  status: number,
  retryAfter: string | string[] | undefined,
): ChainError {
  if (status === 413 && calls > 1) return new BatchRefused(name, calls);
  if (status === 413 && GROWING.has(method)) {
    return new ChainError('too_large', `${name} answered ${method} with status 413`);
  }
  // Seconds only: the form with a date is not used by any provider that we know of, and back-off covers it.
  const seconds =
    typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {};
  const details = { ...seconds, throttled: status === 429 };
  return new ChainError('unavailable', `${name} answered ${method} with status ${status}`, details);
}
