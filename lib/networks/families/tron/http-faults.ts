// What a TRON endpoint's refusals mean. java-tron answers most errors with status 200 and an `Error` in the body, TronGrid
// with 403 or 429, a lite node with bare text (chains.md 2.2, 2.3). Their words are judged but never repeated, since
// providers put keys into them.

import { ChainError, type ChainErrorDetails } from '@/lib/networks/chain';
import type { HttpAnswer } from '@/lib/networks/endpoints/json-rpc/client';

/** The endpoint does not offer this API at all, whatever is asked of it. */
export class ApiMissingError extends ChainError {
  constructor(name: string, api: string) {
    super('unavailable', `${name} does not offer ${api}`);
    this.name = 'ApiMissingError';
  }
}

/** The answer was longer than may be read, or did not come in time: asking for less may help. */
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

/** The text of a refusal, in whatever form it came. */
export function refusal(name: string, api: string, said: string): ChainError {
  if (LITE.test(said)) {
    return new ChainError(
      'unavailable',
      `${name} is a lite full node that keeps no history; use a full node, or set openHistoryQueryWhenLiteFN on it`,
    );
  }
  if (MISSING.test(said)) return new ApiMissingError(name, api);
  if (THROTTLED.test(said)) return throttled(`${name} limits its rate (${api})`, pauseIn(said));
  return new ChainError('unavailable', `${name} refused ${api}`);
}

/** An HTTP status that carries no answer, with what it and its body say about asking again. */
export function statusFault(
  name: string,
  api: string,
  answer: { status: number; retryAfter: string | string[] | undefined; text: string },
): ChainError {
  const { status, retryAfter, text } = answer;
  if (status === 404 || status === 405) return new ApiMissingError(name, api);
  // Seconds only: the form with a date is not used by any provider that we know of, and back-off covers it.
  const asked =
    typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter)
      ? { retryAfterSeconds: Number(retryAfter) }
      : pauseIn(text);
  if (status === 429 || (status === 403 && (asked.retryAfterSeconds !== undefined || THROTTLED.test(text)))) {
    return throttled(`${name} limits its rate (${api}, status ${status})`, asked);
  }
  return new ChainError('unavailable', `${name} answered ${api} with status ${status}`, asked);
}

/** The pause that an answer of the endpoint's JSON-RPC asks for in the words of its other API; null when it asks for none. */
export function pauseRequestedBy(
  name: string,
  { method, status, retryAfter, text }: HttpAnswer & { readonly method: string },
): ChainError | null {
  // A refusal is short; no list of transfers is searched for words.
  const isRefusal = status === 200 && text.length < LONGEST_REFUSAL && text.includes('"Error"');
  if (status === 200 && !isRefusal) return null;
  const fault = isRefusal ? refusal(name, method, text) : statusFault(name, method, { status, retryAfter, text });
  return fault.throttled ? fault : null;
}

const throttled = (message: string, asked: ChainErrorDetails): ChainError =>
  new ChainError('unavailable', message, { ...asked, throttled: true });

const pauseIn = (said: string): ChainErrorDetails => {
  const seconds = SUSPENDED.exec(said)?.[1];
  return seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
};
