// Classifies a TRON endpoint's refusals. java-tron answers most errors with status 200 and an `Error` in the body, TronGrid with
// 403 or 429, a lite node with plain text. The text is classified but never repeated, because providers put keys into it.

import { ChainError, type ChainErrorDetails } from '@/lib/networks/chain';
import type { HttpAnswer } from '@/lib/networks/endpoints/json-rpc/client';

/** The endpoint does not offer this API at all. */
export class ApiMissingError extends ChainError {
  constructor(name: string, api: string) {
    super('unavailable', `${name} does not offer ${api}`);
    this.name = 'ApiMissingError';
  }
}

/** The answer exceeded the size cap or the timeout: a smaller request may help. */
export class TooMuchError extends ChainError {
  constructor(message: string) {
    super('unavailable', message);
    this.name = 'TooMuchError';
  }
}

const LONGEST_REFUSAL = 1000;
const LITE = /lite fullnode/i;
const MISSING = /unavailable due to config|api is closed/i;
const THROTTLED = /frequency limit|suspended|lack of computing resources|rate limit|daily|quota|too many requests/i;
const SUSPENDED = /suspended for (\d{1,5}) ?s/i;

/** The fault of a refusal's text, whatever its format. */
export function refusal(name: string, api: string, text: string): ChainError {
  if (LITE.test(text)) {
    return new ChainError(
      'unavailable',
      `${name} is a lite full node that keeps no history; use a full node, or set openHistoryQueryWhenLiteFN on it`,
    );
  }
  if (MISSING.test(text)) return new ApiMissingError(name, api);
  if (THROTTLED.test(text)) return throttled(`${name} limits its rate (${api})`, pauseIn(text));
  return new ChainError('unavailable', `${name} refused ${api}`);
}

/** The fault of an HTTP error status, with the retry delay that it and its body request. */
export function statusFault(
  name: string,
  api: string,
  answer: { status: number; retryAfter: string | string[] | undefined; text: string },
): ChainError {
  const { status, retryAfter, text } = answer;
  if (status === 404 || status === 405) return new ApiMissingError(name, api);
  // Seconds only: no known provider uses the date form, and backoff covers it.
  const pause =
    typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter)
      ? { retryAfterSeconds: Number(retryAfter) }
      : pauseIn(text);
  if (status === 429 || (status === 403 && (pause.retryAfterSeconds !== undefined || THROTTLED.test(text)))) {
    return throttled(`${name} limits its rate (${api}, status ${status})`, pause);
  }
  return new ChainError('unavailable', `${name} answered ${api} with status ${status}`, pause);
}

/** The pause that a JSON-RPC answer requests in the wording of the HTTP API; null if it requests none. */
export function pauseRequestedBy(
  name: string,
  { method, status, retryAfter, text }: HttpAnswer & { readonly method: string },
): ChainError | null {
  // A refusal is short, so long lists of transfers are not searched.
  const isRefusal = status === 200 && text.length < LONGEST_REFUSAL && text.includes('"Error"');
  if (status === 200 && !isRefusal) return null;
  const fault = isRefusal ? refusal(name, method, text) : statusFault(name, method, { status, retryAfter, text });
  return fault.throttled ? fault : null;
}

const throttled = (message: string, pause: ChainErrorDetails): ChainError =>
  new ChainError('unavailable', message, { ...pause, throttled: true });

const pauseIn = (text: string): ChainErrorDetails => {
  const seconds = SUSPENDED.exec(text)?.[1];
  return seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
};
