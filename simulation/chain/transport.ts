// Connects the product's JSON-RPC client to the simulated endpoints inside this process: an undici dispatcher that
// answers requests to their addresses, and refuses every other address, so that a history cannot reach a real network.

import { Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

/** An HTTP response; `silent` never comes. */
export type EndpointAnswer =
  { readonly status: number; readonly body: string; readonly headers?: readonly string[] } | 'silent' | 'broken';

/** Answers the body of a request to a path. */
export type Endpoint = (body: string, path: string) => EndpointAnswer;

/** The calls of undici's `request`, which this version makes to the older kind of handler. */
type RequestHandler = {
  readonly onConnect: (abort: (reason?: Error) => void) => void;
  readonly onHeaders: (status: number, headers: Buffer[], resume: () => void, text: string) => void;
  readonly onData: (chunk: Buffer) => unknown;
  readonly onComplete: (trailers: Buffer[]) => void;
  readonly onError: (error: Error) => void;
};

export class SimulatedTransport extends Dispatcher {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #expire: (signal: AbortSignal) => void;
  readonly #before = getGlobalDispatcher();

  /** `expire` ends the deadline of a request that is not answered. */
  constructor(expire: (signal: AbortSignal) => void) {
    super();
    this.#expire = expire;
    setGlobalDispatcher(this);
  }

  serve(origin: string, endpoint: Endpoint): void {
    this.#endpoints.set(origin, endpoint);
  }

  restore(): void {
    setGlobalDispatcher(this.#before);
  }

  override dispatch(options: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler): boolean {
    const handler = given as unknown as RequestHandler;
    const answer = this.#endpoints.get(String(options.origin))?.(String(options.body), options.path) ?? 'broken';
    const { signal } = options as { readonly signal?: AbortSignal };
    setImmediate(() => respond(handler, answer, () => signal && this.#expire(signal)));
    return true;
  }
}

/** Calls the handler as undici's own client does for a complete response. */
function respond(handler: RequestHandler, answer: EndpointAnswer, expire: () => void): void {
  let isOver = false;
  const fail = (error: Error): void => {
    if (!isOver) handler.onError(error);
    isOver = true;
  };
  handler.onConnect((reason) => fail(reason ?? new Error('aborted')));
  if (answer === 'silent') expire();
  if (answer === 'silent' || answer === 'broken') return fail(new Error('the endpoint broke the connection'));
  const headers = ['content-type', 'application/json', ...(answer.headers ?? [])];
  handler.onHeaders(
    answer.status,
    headers.map((one) => Buffer.from(one)),
    () => {},
    'OK',
  );
  handler.onData(Buffer.from(answer.body));
  handler.onComplete([]);
}
