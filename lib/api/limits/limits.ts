// Rate limits: for each API key, for each address on the public pages, and for each address whose requests fail to authenticate.
// With Valkey all web processes share the limits (lib/platform/rate-limit/shared). Other limits: how many requests are worked on at once
// (admission.ts), and how many `listen` calls of a key are open (lib/api/operations/listen-route.ts).

import { LRUCache } from 'lru-cache';
import { groupOf } from '@/lib/platform/rate-limit/address-group';
import type { Context } from '@/lib/platform/context';
import { sha256 } from '@/lib/platform/crypto';
import { ServiceError, type ErrorCode } from '@/lib/platform/errors/errors';
import { openSharedLimits, type SharedLimits } from '@/lib/platform/rate-limit/shared';
import { openRateLimit, type RateLimit, type Taken, type TakeToken } from '@/lib/platform/rate-limit/token-bucket';
import { isLoopback } from '@/lib/api/client-address';

type Policy = 'key' | 'page' | 'failure';
export type Limits = SharedLimits<Policy> & {
  /** Digests of the latest pairs of key and address that signed in. */
  readonly regulars: LRUCache<string, true>;
  /** Browsers' reports about the pages' policy, by address. */
  readonly reports: TakeToken;
};
/** Enough for every key of a large installation, from each of its servers. */
const MAX_REGULARS = 20_000;
/**
 * A browser without the Reporting API sends each violation separately, so a broken page sends a dozen at once. Reports do not
 * count against the limit of the pages: a broken page must not block a customer's status polls.
 */
const REPORT_LIMIT: RateLimit = { rate: 1, burst: 20 };
/** The sender that a request claims: its address, and the Authorization header as sent. */
type From = { readonly address: string; readonly authorization: string };

type Limited = Pick<Context, 'clock' | 'config'> & { readonly limits: Limits };

/** A refusal that states the limit in the IETF headers (draft-ietf-httpapi-ratelimit-headers). */
export class RateLimited extends ServiceError {
  readonly headers: Readonly<Record<string, string>>;
  constructor(wait: number, headers: Readonly<Record<string, string>>) {
    super('RATE_LIMITED', { retryAfter: wait });
    this.headers = headers;
  }
}

const local = globalThis as unknown as { stabletillLimitsAreLocal?: true };

/** For a process whose requests another process has already counted. It uses no Valkey, so that no request is counted twice. */
export function keepLimitsLocal(): void {
  local.stabletillLimitsAreLocal = true;
}

/** The limits of this process. */
export function openLimits({ log, config }: Pick<Context, 'log' | 'config'>): Limits {
  const limits = openSharedLimits(
    { log, valkeyUrl: local.stabletillLimitsAreLocal ? undefined : config.VALKEY_URL },
    {
      key: { rate: config.KEY_RATE, burst: config.KEY_BURST },
      page: { rate: config.PAGE_RATE, burst: config.PAGE_BURST },
      failure: { rate: config.FAILURE_RATE, burst: config.FAILURE_BURST },
    },
  );
  return { ...limits, regulars: new LRUCache({ max: MAX_REGULARS }), reports: openRateLimit(REPORT_LIMIT) };
}

/** Counts a request of a key and returns the headers for its response. Throws RateLimited. */
export async function takeKeyToken(services: Limited, keyId: number, address: string): Promise<Record<string, string>> {
  if (isFree(services, address)) return {};
  return checked(services, 'key', await services.limits.take('key', String(keyId), nowOf(services)));
}

/** Counts a request to the public pages. Throws RateLimited. */
export async function takePageToken(services: Limited, address: string): Promise<void> {
  if (isFree(services, address)) return;
  checked(services, 'page', await services.limits.take('page', groupOf(address), nowOf(services)));
}

/** Counts a browser's report, in the memory of this process only. Throws RATE_LIMITED. */
export function takeReportToken(services: Limited, address: string): void {
  if (isFree(services, address)) return;
  const wait = services.limits.reports(groupOf(address), nowOf(services));
  if (wait > 0) throw new ServiceError('RATE_LIMITED', { retryAfter: wait });
}

/**
 * Throws RateLimited for an address with too many failed authentications, before any lookup in the database. Each process learns from its
 * own failures how many an address has in all, so that a request without a failure costs nothing here.
 */
export function checkFailures(services: Limited, from: From): void {
  const { address } = from;
  if (address === '' || isFree(services, address)) return;
  const { limits } = services;
  const taken = limits.peek('failure', groupOf(address), nowOf(services));
  if (taken.wait > 0 && limits.regulars.get(regularOf(from))) return;
  checked(services, 'failure', taken);
}

/** Remembers that this key signed in from this address. */
export function recordSuccess(services: Limited, from: From): void {
  if (!isFree(services, from.address)) services.limits.regulars.set(regularOf(from), true);
}

/** Counts a failed authentication. An unknown address is not counted, because it would stand for every client. */
export async function countFailure(services: Limited, from: From, code: ErrorCode): Promise<void> {
  const { address } = from;
  // A revoked key has no history. A wrong signature does not count against a key, because any client can send one with its name.
  if (code === 'invalid_api_key') services.limits.regulars.delete(regularOf(from));
  if (address === '' || isFree(services, address)) return;
  await services.limits.take('failure', groupOf(address), nowOf(services));
}

/** A digest, so that memory holds no credentials and a long header takes no space. */
const regularOf = ({ address, authorization }: From): string =>
  sha256(`${groupOf(address)} ${authorization}`).toString('base64');
const nowOf = ({ clock }: Limited): number => clock.now().getTime();
const isFree = ({ config }: Limited, address: string): boolean => !config.LIMIT_LOOPBACK && isLoopback(address);

function checked({ limits }: Limited, policy: Policy, taken: Taken): Record<string, string> {
  const { rate, burst } = limits.policies[policy];
  const headers = {
    'RateLimit-Policy': `"${policy}";q=${burst};w=${Math.ceil(burst / rate)}`,
    RateLimit: `"${policy}";r=${taken.remaining};t=${taken.reset}`,
  };
  if (taken.wait > 0) throw new RateLimited(taken.wait, headers);
  return headers;
}
