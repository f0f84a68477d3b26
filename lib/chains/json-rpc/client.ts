// JSON-RPC over HTTP to one endpoint. Every answer is bounded in time and size, belongs to the request by its id, and has
// passed a shape before anyone sees it; everything else becomes a ChainError. Addresses of endpoints hold keys of
// providers, so no message or log line carries one: an endpoint is named by its place in the settings.

import { request } from 'undici';
import { z } from 'zod';
import { readCapped } from '@/lib/http';
import { ChainError } from '../chain';
import { answerFault, statusFault, timeoutFault, tooLong, UNUSABLE } from './faults';

export type RpcCall<T> = { readonly method: string; readonly params: readonly unknown[]; readonly shape: z.ZodType<T> };
type Answers<C extends readonly RpcCall<unknown>[]> = { [I in keyof C]: C[I] extends RpcCall<infer T> ? T : never };

export type RpcClient = {
  /** "endpoint 2": safe to show. */
  readonly name: string;
  /** One call. Throws a ChainError, or an RpcError when the node itself refused. */
  call<T>(call: RpcCall<T>): Promise<T>;
  /** Several calls in as few requests as the batch limit allows; answers in the order of the calls. */
  batch<const C extends readonly RpcCall<unknown>[]>(calls: C): Promise<Answers<C>>;
};

/** A node that needs longer is treated as not answering (hardening 3.3). */
const TIMEOUT_MS = 10_000;
/** Larger answers are cut off unread (hardening 3.3). */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** Providers cap batches between 10 and 1,000; no single request of ours needs more. */
const BATCH_LIMIT = 10;

const nodeError = z.object({ code: z.number().int(), message: z.string() });
/** A request that the node could not read is answered with a null id (JSON-RPC 2.0, section 5). */
const envelope = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.number().int().nullable(),
  result: z.unknown().optional(),
  error: nodeError.optional(),
});
type Envelope = z.output<typeof envelope>;

/** Opens a client. `name` stands for the endpoint in every message. */
export function openRpcClient(url: string, name: string, timeoutMs = TIMEOUT_MS): RpcClient {
  let lastId = 0;
  const ask = (calls: readonly RpcCall<unknown>[]) => {
    const requests = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++lastId, method, params }));
    return { requests, body: JSON.stringify(calls.length === 1 ? requests[0] : requests) };
  };

  async function exchange(calls: readonly RpcCall<unknown>[]): Promise<unknown[]> {
    const { requests, body } = ask(calls);
    const method = calls[0]?.method ?? 'nothing';
    const answer = await post({ url, name, method, body, timeoutMs });
    const list = Array.isArray(answer) ? answer : [answer];
    const byId = new Map<number | null, Envelope>();
    for (const item of list) {
      const read = envelope.safeParse(item);
      if (!read.success || byId.has(read.data.id)) throw unusable(name, method);
      byId.set(read.data.id, read.data);
    }
    // One error object without an id, or with the single call's id, refuses everything that was asked.
    const refusal = byId.get(null)?.error;
    if (refusal) throw answerFault(name, method, refusal);
    if (byId.size !== requests.length || Array.isArray(answer) !== calls.length > 1) throw unusable(name, method);
    return calls.map((call, index) => {
      const own = byId.get(requests[index]?.id ?? null);
      if (own?.error) throw answerFault(name, call.method, own.error);
      const read = own && 'result' in own ? call.shape.safeParse(own.result) : null;
      if (!read?.success) throw unusable(name, call.method);
      return read.data;
    });
  }

  return {
    name,
    call: async <T>(call: RpcCall<T>) => (await exchange([call]))[0] as T,
    batch: async <const C extends readonly RpcCall<unknown>[]>(calls: C) => {
      const answers: unknown[] = [];
      for (let from = 0; from < calls.length; from += BATCH_LIMIT) {
        answers.push(...(await exchange(calls.slice(from, from + BATCH_LIMIT))));
      }
      return answers as Answers<C>;
    },
  };
}

const unusable = (name: string, method: string): ChainError =>
  new ChainError('unavailable', `${name} gave an unusable answer to ${method}`);

type Post = { url: string; name: string; method: string; body: string; timeoutMs: number };

/** Sends one request and returns the parsed JSON of its answer. */
async function post({ url, name, method, body, timeoutMs }: Post): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  let status: number;
  let retryAfter: string | string[] | undefined;
  let text: string | null;
  try {
    // `identity`, so that the size cap counts what is really read; undici follows no redirect unless told to.
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' };
    const answer = await request(url, { method: 'POST', headers, body, signal });
    status = answer.statusCode;
    retryAfter = answer.headers['retry-after'];
    text = (await readCapped(answer.body, MAX_ANSWER_BYTES))?.toString('utf8') ?? null;
  } catch {
    // Whatever undici throws names hosts and addresses, so nothing of it is passed on.
    if (signal.aborted) throw timeoutFault(name, method);
    throw new ChainError('unavailable', `${name} could not be reached for ${method}`);
  }
  if (text === null) throw tooLong(name, method);
  if (status === 429 || status >= 500) throw statusFault(name, method, status, retryAfter);
  const parsed = parse(text);
  if (status === 200 && parsed !== UNUSABLE) return parsed;
  // Some providers refuse a range with an error status and a JSON-RPC error in the body; only the error is believed.
  const refusal = z.object({ error: nodeError }).safeParse(parsed);
  if (refusal.success) throw answerFault(name, method, refusal.data.error);
  throw statusFault(name, method, status, retryAfter);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return UNUSABLE;
    throw error;
  }
}
