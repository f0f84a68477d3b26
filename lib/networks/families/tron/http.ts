// java-tron's HTTP API at one endpoint. Every answer is bounded in time and size and passes a schema before any caller sees it;
// everything else becomes a ChainError. Endpoint URLs contain provider keys, so messages never include one: an endpoint is named
// by its position in the settings.

import { request } from 'undici';
import { z } from 'zod';
import { readCapped } from '@/lib/platform/http';
import { ChainError } from '@/lib/networks/chain';
import type { RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { refusal, statusFault, TooMuchError } from './http-faults';

/** The view of the chain: all blocks, or only solid ones, which the network never reverts. */
export type Side = 'wallet' | 'walletsolidity';

type TronCall<T> = {
  readonly side: Side;
  readonly api: string;
  readonly body: object;
  readonly shape: z.ZodType<T>;
};

export type TronClient = {
  /** "endpoint 2": safe to show. */
  readonly name: string;
  /** One request. Throws a ChainError. */
  request<T>(call: TronCall<T>): Promise<T>;
};

export type TronClientOptions = {
  readonly url: string;
  readonly name: string;
  /** TronGrid's key, sent as a header only to TronGrid itself or to a forwarder on this machine. */
  readonly apiKey?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Shared by all clients of the endpoint. Absent: nothing is limited. */
  readonly budget?: RequestBudget | undefined;
};

/** A node that needs longer counts as not answering. */
const TIMEOUT_MS = 10_000;
/**
 * Larger answers are cut off unread. A block is at most 2 MB, and its JSON repeats each byte up to five times. With a cap of 10 MB, one
 * full block would stop the chain's cursor permanently.
 */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const LONGEST_BARE_REFUSAL = 200;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;
/** The parts of an endpoint's URL that name its other ports. */
const SOLIDITY = 'solidity';
const JSON_RPC = 'jsonrpc';

/** Whether the URL is TronGrid's. */
export const isTronGrid = (url: URL): boolean => /(?:^|\.)trongrid\.io$/.test(url.hostname);

/**
 * Opens a client. A self-hosted node serves its two sides and its JSON-RPC on three ports, so its URL may name the others, as in
 * `http://10.0.0.5:8090?solidity=http://10.0.0.5:8091&jsonrpc=http://10.0.0.5:8545/jsonrpc`. Throws an Error without the URL if
 * the URL is unusable.
 */
export function openTronClient(options: TronClientOptions): TronClient {
  const { name, budget, timeoutMs = TIMEOUT_MS } = options;
  const bases = basesOf(options);
  return {
    name,
    async request({ side, api, body, shape }) {
      await budget?.take([api]);
      const base = bases[side];
      const answer = await post({ ...base, url: addressOf(base.url, side, api), name, api, body, timeoutMs });
      const read = shape.safeParse(answer);
      if (!read.success) throw unusable(name, api);
      return read.data;
    },
  };
}

const unusable = (name: string, api: string): ChainError =>
  new ChainError('unavailable', `${name} gave an unusable answer to ${api}`);

type Base = { readonly url: URL; readonly headers: Readonly<Record<string, string>> };

function basesOf({ url, name, apiKey }: Named): Record<Side, Base> {
  const main = new URL(url);
  const second = namedIn(main, name, SOLIDITY);
  main.searchParams.delete(SOLIDITY);
  main.searchParams.delete(JSON_RPC);
  const base = (to: URL): Base => ({ url: to, headers: keyHeader(to, apiKey) });
  return { wallet: base(main), walletsolidity: base(second ?? main) };
}

type Named = Pick<TronClientOptions, 'url' | 'name' | 'apiKey'>;

/** The endpoint's JSON-RPC: below its URL as at TronGrid, unless the URL names another one. */
export function jsonRpcOf({ url, name, apiKey }: Named): Base {
  const main = basesOf({ url, name, apiKey }).wallet.url;
  const to = namedIn(new URL(url), name, JSON_RPC) ?? below(main, JSON_RPC);
  return { url: to, headers: keyHeader(to, apiKey) };
}

/** The URL of another port, named in a parameter of an endpoint's URL. */
function namedIn(url: URL, name: string, parameter: string): URL | null {
  const text = url.searchParams.get(parameter);
  if (text === null || (/^https?:/.test(text) && URL.canParse(text))) return text === null ? null : new URL(text);
  throw new Error(`${name}: what ${parameter}= names must be an http or https address`);
}

function keyHeader(url: URL, apiKey: string | undefined): Record<string, string> {
  const trusted = (isTronGrid(url) && url.protocol === 'https:') || LOOPBACK.test(url.hostname);
  return apiKey !== undefined && trusted ? { 'tron-pro-api-key': apiKey } : {};
}

/** The API's URL below the base's path, with the base's query, where some providers expect their key. */
const addressOf = (base: URL, side: Side, api: string): URL => below(base, `${side}/${api}`);

function below(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

type Post = Base & { name: string; api: string; body: object; timeoutMs: number };

/** Sends one request and returns the parsed JSON of the answer unless it is a refusal. */
async function post({ url, headers, name, api, body, timeoutMs }: Post): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  let status: number;
  let retryAfter: string | string[] | undefined;
  let text: string | null;
  try {
    // `identity`, so that the size cap counts the bytes actually read. undici follows no redirect by default.
    const answer = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: JSON.stringify(body),
      signal,
    });
    status = answer.statusCode;
    retryAfter = answer.headers['retry-after'];
    text = (await readCapped(answer.body, MAX_ANSWER_BYTES))?.toString('utf8') ?? null;
  } catch {
    // undici's errors contain hosts and addresses, so none of their text is passed on.
    if (signal.aborted) throw new TooMuchError(`${name} did not answer ${api} in time`);
    throw new ChainError('unavailable', `${name} could not be reached for ${api}`);
  }
  if (text === null) throw new TooMuchError(`${name} answered ${api} with more than may be read`);
  if (status !== 200) throw statusFault(name, api, { status, retryAfter, text });
  return believable(name, api, text);
}

/** TronGrid's newer paths answer `error` with a status beside it; java-tron answers `Error`. */
const refused = z.union([
  z.object({ Error: z.string() }).transform(({ Error: text }) => text),
  z.object({ success: z.literal(false), error: z.string() }).transform(({ error }) => error),
]);

function believable(name: string, api: string, text: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A lite node refuses with one line of plain text; longer text is a page from a proxy in between.
    if (text.length < LONGEST_BARE_REFUSAL) throw refusal(name, api, text);
    throw unusable(name, api);
  }
  const refusalText = refused.safeParse(answer);
  if (refusalText.success) throw refusal(name, api, refusalText.data);
  return answer;
}
