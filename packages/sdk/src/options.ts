// The client's options, checked once in the constructor. Invalid ones throw a TypeError that names the option and never shows its
// value, which may be a misplaced secret.

import { machineTime } from './platform';

export type StabletillOptions = {
  /** `ak_live_…` or `ak_test_…`. */
  readonly apiKey: string;
  /** `as_live_…` or `as_test_…`, shown once together with the key. Keep it on servers. */
  readonly apiSecret: string;
  /** The URL of the service, e.g. `https://pay.example.com`. */
  readonly baseUrl: string;
  /** Timeout of one try; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Retries after the first try, if repeating is safe; default 2. */
  readonly maxRetries?: number | undefined;
  /**
   * How requests are signed: 1 (X-Service-* headers, the default) or 2 (RFC 9421), which also covers method, path and query. A
   * key can be set to require 2. Webhooks are always signed with version 1.
   */
  readonly signatureVersion?: SignatureVersion | undefined;
  /** Sent as `Service-Version`, `YYYY-MM-DD`. */
  readonly version?: string | undefined;
  /** Replaces the runtime's own fetch. */
  readonly fetch?: Fetch | undefined;
  /** Replaces the machine's clock; Unix milliseconds. */
  readonly now?: (() => number) | undefined;
};

export type SignatureVersion = 1 | 2;

export type CallOptions = {
  /** Aborts the call, including waits between tries, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one try; overrides the client's. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's value. */
  readonly maxRetries?: number | undefined;
};

/** The part of the standard `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** @internal */
export type Settings = {
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly signatureVersion: SignatureVersion;
  readonly version: string | null;
  readonly fetch: Fetch;
  readonly now: () => number;
};

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;
const MAX_RETRIES = 10;
/** The longest delay that a timer supports. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** @internal Throws TypeError. */
export function readOptions(options: StabletillOptions): Settings {
  const { apiKey, apiSecret, signatureVersion = 1, version } = options;
  const environment = environmentOf(apiKey, { name: 'apiKey', prefix: 'ak_' });
  if (environmentOf(apiSecret, { name: 'apiSecret', prefix: 'as_' }) !== environment) {
    throw new TypeError('apiKey and apiSecret belong together: one of them is live and the other one test.');
  }
  if (signatureVersion !== 1 && signatureVersion !== 2) throw new TypeError('signatureVersion must be 1 or 2.');
  if (version !== undefined && !/^\d{4}-\d\d-\d\d$/.test(version)) {
    throw new TypeError('version must be a date like 2026-01-31.');
  }
  return {
    apiKey,
    apiSecret,
    baseUrl: readBaseUrl(options.baseUrl, environment),
    timeoutMs: readTimeout(options.timeoutMs) ?? DEFAULT_TIMEOUT_MS,
    maxRetries: readRetries(options.maxRetries) ?? DEFAULT_RETRIES,
    signatureVersion,
    version: version ?? null,
    // In some runtimes fetch must not be called as a method of another object.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    now: options.now ?? machineTime,
  };
}

/** @internal Throws TypeError. */
export function readTimeout(milliseconds: number | undefined): number | undefined {
  return readWhole(milliseconds, { name: 'timeoutMs', least: 1, most: LONGEST_TIMEOUT_MS });
}

/** @internal Throws TypeError. */
export function readRetries(count: number | undefined): number | undefined {
  return readWhole(count, { name: 'maxRetries', least: 0, most: MAX_RETRIES });
}

/** The usual cause is a variable with another name, or a settings file that was not loaded. */
const missing = (option: keyof typeof VARIABLES): TypeError =>
  new TypeError(`${option} is missing. Is the environment variable ${VARIABLES[option]} set?`);

/** The names that the documentation uses. */
const VARIABLES = {
  apiKey: 'STABLETILL_API_KEY',
  apiSecret: 'STABLETILL_API_SECRET',
  baseUrl: 'STABLETILL_URL',
} as const;

function environmentOf(value: unknown, { name, prefix }: { name: 'apiKey' | 'apiSecret'; prefix: string }): string {
  if (value === undefined || value === '') throw missing(name);
  const text = typeof value === 'string' ? value : '';
  const [, environment] = /^a[ks]_(live|test)_[!-~]+$/.exec(text) ?? [];
  if (environment === undefined || !text.startsWith(prefix)) {
    throw new TypeError(`${name} must be the text that begins with ${prefix}live_ or ${prefix}test_.`);
  }
  return environment;
}

function readBaseUrl(text: unknown, environment: string): string {
  if (text === undefined || text === '') throw missing('baseUrl');
  const url = typeof text === 'string' ? parseUrl(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must be an address like https://pay.example.com, without query or fragment.');
  }
  if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl must not hold a user name or password.');
  if (url.protocol === 'http:' && environment === 'live' && !isLoopback(url.hostname)) {
    throw new TypeError('baseUrl must begin with https: for live keys.');
  }
  return url.href.replace(/\/+$/, '');
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

function readWhole(
  value: number | undefined,
  { name, least, most }: { name: string; least: number; most: number },
): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return value;
  throw new TypeError(`${name} must be a whole number from ${least} to ${most}.`);
}
