// JSON-RPC over HTTP to one endpoint. Every answer is bounded in time and size, matches its request id, and passes a schema
// before any caller sees it; everything else becomes a ChainError. Endpoint URLs contain provider keys, so messages and log lines
// never include one: an endpoint is named by its position in the settings.

import { request } from 'undici';
import { z } from 'zod';
import { readCapped } from '@/lib/platform/http';
import { ChainError } from '@/lib/networks/chain';
import { endpointSource } from '@/lib/networks/endpoints/source';
import { openRequestBudget, type RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { answerFault, AnswerTooLong, BatchRefused, methodOf, statusFault, timeoutFault, UNUSABLE } from './faults';

export type RpcCall<T> = { readonly method: string; readonly params: readonly unknown[]; readonly shape: z.ZodType<T> };
type Answers<C extends readonly RpcCall<unknown>[]> = { [I in keyof C]: C[I] extends RpcCall<infer T> ? T : never };

export type RpcClient = {
  /** "endpoint 2": safe to show. */
  readonly name: string;
  /** Identifies its URL in the database (endpoints/source.ts). */
  readonly source: string;
  /** One call. Throws a ChainError, or an RpcError if the node itself refused. */
  call<T>(call: RpcCall<T>): Promise<T>;
  /** Several calls in as few requests as the endpoint accepts; answers in the order of the calls. */
  batch<const C extends readonly RpcCall<unknown>[]>(calls: C): Promise<Answers<C>>;
};

/** A node that needs longer counts as not answering. */
const TIMEOUT_MS = 10_000;
/**
 * Larger answers are cut off unread. Anyone can create a transaction with a long receipt for the price of its gas: 16.7 million
 * gas (EIP-7825) buy 44,000 empty logs of about 400 bytes of JSON each. Such a receipt must be readable, or its block would halt
 * the network's cursor.
 */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const nodeError = z.object({ code: z.number().int(), message: z.string() });
/** The node answers an unreadable request with a null id (JSON-RPC 2.0, section 5). */
const envelope = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.number().int().nullable(),
  result: z.unknown().optional(),
  error: nodeError.optional(),
});
type Envelope = z.output<typeof envelope>;

export type HttpAnswer = {
  readonly status: number;
  readonly retryAfter: string | string[] | undefined;
  readonly text: string;
};

export type RpcClientOptions = {
  /** Sent with every request, for example a provider's key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads provider-specific refusals that are not JSON-RPC errors. Null: the answer is not such a refusal. */
  readonly refusalIn?: (answer: HttpAnswer & { readonly method: string }) => ChainError | null;
  readonly timeoutMs?: number | undefined;
  /** Shared by all clients of the endpoint. Absent: nothing is limited, and only this client learns the batch size. */
  readonly budget?: RequestBudget | undefined;
};

/** Opens a client. `name` identifies the endpoint in every message. */
export function openRpcClient(url: string, name: string, options: RpcClientOptions = {}): RpcClient {
  const { timeoutMs = TIMEOUT_MS, budget = openRequestBudget({ name }), headers = {}, refusalIn } = options;
  let lastId = 0;
  const bodyOf = (calls: readonly RpcCall<unknown>[]) => {
    const requests = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++lastId, method, params }));
    return { requests, body: JSON.stringify(calls.length === 1 ? requests[0] : requests) };
  };

  async function exchange(calls: readonly RpcCall<unknown>[]): Promise<unknown[]> {
    const { requests, body } = bodyOf(calls);
    const method = methodOf(calls);
    await budget.take(calls.map((call) => call.method));
    const answer = await post({ url, headers, refusalIn, name, method, calls: calls.length, body, timeoutMs });
    const list = Array.isArray(answer) ? answer : [answer];
    const byId = new Map<number | null, Envelope>();
    for (const item of list) {
      const read = envelope.safeParse(item);
      if (!read.success || byId.has(read.data.id)) throw unusable(name, method);
      byId.set(read.data.id, read.data);
    }
    // One error object instead of a list, or an error without an id, refuses all calls of the request.
    const instead = !Array.isArray(answer) && calls.length > 1;
    const refusal = instead ? [...byId.values()][0]?.error : byId.get(null)?.error;
    if (refusal) throw answerFault(name, { method, calls: calls.length, isWhole: true }, refusal);
    if (byId.size !== requests.length || Array.isArray(answer) !== calls.length > 1) throw unusable(name, method);
    return calls.map((call, index) => {
      const own = byId.get(requests[index]?.id ?? null);
      if (own?.error) throw answerFault(name, { method: call.method, calls: calls.length }, own.error);
      const read = own && 'result' in own ? call.shape.safeParse(own.result) : null;
      if (!read?.success) throw unusable(name, call.method);
      return read.data;
    });
  }

  return {
    name,
    source: endpointSource(url),
    call: async <T>(call: RpcCall<T>) => (await exchange([call]))[0] as T,
    batch: async <const C extends readonly RpcCall<unknown>[]>(calls: C) => {
      const answers: unknown[] = [];
      let most = Number.POSITIVE_INFINITY;
      while (answers.length < calls.length) {
        const some = calls.slice(answers.length, answers.length + Math.min(budget.batch, most));
        try {
          answers.push(...(await exchange(some)));
        } catch (error) {
          // Retries the same calls in smaller batches. A single call is not a batch, so this terminates.
          if (error instanceof BatchRefused) budget.refusedBatch(some.length);
          else if (isTooLong(error) && some.length > 1) most = Math.ceil(some.length / 2);
          else throw error;
        }
      }
      return answers as Answers<C>;
    },
  };
}

/** A smaller window helps against an answer that grows with it. */
const isTooLong = (error: unknown): boolean => error instanceof AnswerTooLong && error.fault !== 'too_large';

const unusable = (name: string, method: string): ChainError =>
  new ChainError('unavailable', `${name} gave an unusable answer to ${method}`);

type Post = Required<Pick<RpcClientOptions, 'headers'>> & {
  refusalIn: RpcClientOptions['refusalIn'];
  url: string;
  name: string;
  method: string;
  calls: number;
  body: string;
  timeoutMs: number;
};

/** Sends one request and returns the parsed JSON of the answer. */
async function post({ url, headers: own, refusalIn, name, method, calls, body, timeoutMs }: Post): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  let status: number;
  let retryAfter: string | string[] | undefined;
  let text: string | null;
  try {
    // `identity`, so that the size cap counts the bytes actually read. undici follows no redirect by default.
    const json = 'application/json';
    const headers = { ...own, 'content-type': json, accept: json, 'accept-encoding': 'identity' };
    const answer = await request(url, { method: 'POST', headers, body, signal });
    status = answer.statusCode;
    retryAfter = answer.headers['retry-after'];
    text = (await readCapped(answer.body, MAX_ANSWER_BYTES))?.toString('utf8') ?? null;
  } catch {
    // undici's errors contain hosts and addresses, so none of their text is passed on.
    if (signal.aborted) throw timeoutFault(name, method);
    throw new ChainError('unavailable', `${name} could not be reached for ${method}`);
  }
  if (text === null) throw new AnswerTooLong(name, method);
  const refusal = refusalIn?.({ status, retryAfter, text, method });
  if (refusal) throw refusal;
  if (status === 429 || status >= 500) throw statusFault(name, { method, calls }, status, retryAfter);
  const parsed = parse(text);
  if (status === 200 && parsed !== UNUSABLE) return parsed;
  // Some providers refuse a range with an error status and a JSON-RPC error in the body; only the error is trusted.
  const inBody = z.object({ error: nodeError }).safeParse(parsed);
  if (inBody.success) throw answerFault(name, { method, calls, isWhole: true }, inBody.data.error);
  throw statusFault(name, { method, calls }, status, retryAfter);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return UNUSABLE;
    throw error;
  }
}
