// One call to a merchant's receiver that stays safe whatever the receiver does. The address is checked when dialling
// and again on the open connection. TLS is verified, redirects and compression are not followed, proxy settings are
// ignored, and time and bytes are bounded. One call sends at most one request, also on a pooled connection. When the
// receiver cuts it, it may or may not have processed the request, so this is a network error and the regular retry
// follows.

import { buildConnector, type Client, type Dispatcher } from 'undici';
import { mayDial, parseWebhookUrl, PrivateAddress, UnsafeAddress, type Reach } from './address-guard';
import { openClient, type Connections } from './connections';
import { resolveSafely, type Address, type Lookup } from './resolve';
import type { Outcome } from './schedule';

/** `headers` is called right before the request is written, so that the timestamp is current. */
export type Call = { readonly url: string; readonly headers: () => Record<string, string>; readonly body: string };

export type CallOptions = {
  readonly reach: Reach;
  readonly lookup?: Lookup | undefined;
  /** Deadline for name resolution, connection, headers and body together; 30 s by default. */
  readonly deadlineMilliseconds?: number | undefined;
  /** A certificate authority to trust instead of the system's, PEM. */
  readonly ca?: string | undefined;
  /** The connection pool; without it every call opens its own connection. */
  readonly connections?: Connections | undefined;
};

export const DEADLINE_MILLISECONDS = 30_000;
/** Bytes of a response body that are read before the connection is cut, and bytes that are stored to show. */
const MAX_BODY_BYTES = 16 * 1024;
const KEPT_BODY_BYTES = 2 * 1024;
const LONGEST_ERROR = 100;

/** Makes the call and returns its outcome. Does not throw for anything that the receiver or its name server does. */
export async function callReceiver(call: Call, options: CallOptions): Promise<Outcome> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), options.deadlineMilliseconds ?? DEADLINE_MILLISECONDS);
  try {
    return await exchange(call, options, deadline.signal);
  } catch (error) {
    if (error instanceof UnsafeAddress) return { kind: 'refused', error: 'ADDRESS_NOT_ALLOWED' };
    if (deadline.signal.aborted) return { kind: 'timeout' };
    return { kind: 'unreachable', error: errorCode(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(call: Call, options: CallOptions, deadline: AbortSignal): Promise<Outcome> {
  const url = parseWebhookUrl(call.url, options.reach);
  const addresses = await orAborted(resolveSafely(url, options.reach, options.lookup), deadline);
  const open = (): Client => openClient(url.origin, pinnedTo(addresses, options));
  // When the name resolves to other addresses, the key changes, so old connections are never reused.
  const key = [url.origin, ...addresses.map(({ address }) => address).toSorted()].join(' ');
  const client = options.connections?.take(key, open) ?? open();
  return exchangeOn(client, { call, url, key }, options, deadline);
}

type PreparedCall = { readonly call: Call; readonly url: URL; readonly key: string };

async function exchangeOn(
  client: Client,
  { call, url, key }: PreparedCall,
  { connections }: CallOptions,
  deadline: AbortSignal,
): Promise<Outcome> {
  const hangUp = () => void client.destroy(new Error('the call is over')).catch(() => {});
  deadline.addEventListener('abort', hangUp, { once: true });
  let isClean = false;
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await client.request({
      method: 'POST',
      path,
      headers: call.headers(),
      body: Buffer.from(call.body),
    });
    const { text, isWhole } = await beginningOf(answer.body);
    isClean = isWhole && !saysClose(answer);
    return { kind: 'answered', status: answer.statusCode, answer: text };
  } finally {
    deadline.removeEventListener('abort', hangUp);
    if (isClean && connections && !deadline.aborted) connections.keep(key, client);
    else hangUp();
  }
}

const saysClose = ({ headers }: Pick<Dispatcher.ResponseData, 'headers'>): boolean =>
  String(headers.connection ?? '')
    .toLowerCase()
    .includes('close');

/** A connector that dials only these addresses, whatever the name resolves to by now. */
function pinnedTo(
  addresses: readonly Address[],
  { reach, deadlineMilliseconds, ca }: CallOptions,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: deadlineMilliseconds ?? DEADLINE_MILLISECONDS,
    autoSelectFamily: addresses.length > 1,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
    lookup: (_name, { all }, found) => {
      const [first] = addresses;
      if (all) found(null, [...addresses]);
      else found(null, first?.address ?? '', first?.family);
    },
  });
  return (options, opened) => {
    connect(options, (...[fault, socket]) => {
      if (fault) return opened(fault, null);
      if (mayDial(socket.remoteAddress ?? '', reach)) return opened(null, socket);
      socket.destroy();
      return opened(new PrivateAddress('The connection led to a private or reserved address.'), null);
    });
  };
}

/** The first bytes of a body as text. An early end is not a fault, because the status alone decides. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<{ text: string; isWhole: boolean }> {
  const kept: Buffer[] = [];
  let read = 0;
  let isWhole = false;
  try {
    for await (const chunk of body) {
      if (read < KEPT_BODY_BYTES) kept.push(chunk);
      read += chunk.length;
      if (read >= MAX_BODY_BYTES) break;
    }
    isWhole = read < MAX_BODY_BYTES;
  } catch {
    // The body is cut, malformed or slower than the deadline.
  }
  // In stream mode the decoder drops a character split by the cut. PostgreSQL accepts no NUL.
  const bytes = Buffer.concat(kept).subarray(0, KEPT_BODY_BYTES);
  return { text: new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', ''), isWhole };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('too late')), { once: true });
    work.then(resolve, reject);
  });
}

/** The code of a fault. Its message may contain internal addresses, so the merchant must not see it. */
function errorCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const known = typeof code === 'string' ? code : name;
  return typeof known === 'string' ? known.slice(0, LONGEST_ERROR) : 'UNKNOWN';
}
