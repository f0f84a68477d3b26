// Requests one source over HTTP: bounded in time and size, no redirects. Every failure becomes a SourceError. Its message names the
// source and never its URL, which may be the operator's own.

import { request } from 'undici';
import type { Clock } from '@/lib/platform/clock';
import { readCapped } from '@/lib/platform/http';
import { InvalidResponse, type Reading } from './providers/provider';
import type { RateSource } from './sources';

/** A slower source counts as unresponsive; its price would be old by then. */
const TIMEOUT_MILLISECONDS = 4000;
/** The longest response, Coinbase's, has about 20 KiB. */
const MAX_BYTES = 512 * 1024;

/** Why a source gave no readings. */
export class SourceError extends Error {
  /** The Retry-After of the source in seconds; null without one. */
  readonly retryAfter: number | null;
  constructor(message: string, retryAfter: number | null = null) {
    super(message);
    this.name = 'SourceError';
    this.retryAfter = retryAfter;
  }
}

/** The source's readings as of now. Throws SourceError. */
export async function readSource(
  { provider, url }: RateSource,
  clock: Clock,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
): Promise<readonly Reading[]> {
  const { source } = provider;
  const requestedAt = clock.now();
  const { status, retryAfter, ageSeconds, text } = await get(source, url, timeoutMilliseconds);
  if (status !== 200) throw new SourceError(`${source} answered with status ${status}`, retryAfter);
  try {
    // The price is at most as new as the request, and older by the time that a cache on the way kept it.
    return provider.parse(text, new Date(requestedAt.getTime() - ageSeconds * 1000));
  } catch (error) {
    if (error instanceof InvalidResponse) throw new SourceError(`${source}: ${error.message}`);
    throw error;
  }
}

type SourceResponse = { status: number; retryAfter: number | null; ageSeconds: number; text: string };

async function get(source: string, url: string, timeoutMilliseconds: number): Promise<SourceResponse> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  let found: SourceResponse | null;
  try {
    // `identity`, so that the size cap counts the bytes that are read; undici follows no redirects by default.
    const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'stabletill' };
    const { statusCode, headers: answered, body } = await request(url, { headers, signal });
    const text = (await readCapped(body, MAX_BYTES))?.toString('utf8') ?? null;
    const [retryAfter, age] = [seconds(answered['retry-after']), seconds(answered.age)];
    found = text === null ? null : { status: statusCode, retryAfter, ageSeconds: age ?? 0, text };
  } catch {
    // Errors of undici contain hosts and addresses, so they are not passed on.
    throw new SourceError(signal.aborted ? `${source} did not answer in time` : `${source} could not be reached`);
  }
  if (!found) throw new SourceError(`${source} answered with more than ${MAX_BYTES} bytes`);
  return found;
}

/** A header in whole seconds; null for none, a date, or anything else. */
const seconds = (value: string | string[] | undefined): number | null =>
  typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : null;
