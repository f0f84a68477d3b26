// One call to a merchant's receiver, safe whatever the other side does: the address is checked at the moment of dialling and
// again on the open connection, TLS is verified, nothing is followed or unpacked, proxy settings are not read, and time and
// bytes are bounded. One call is one request at most, on a kept connection too: when the receiver cuts it, nobody can tell
// whether it heard, so that is a network error and the contract's retry follows.

import { buildConnector, type Client, type Dispatcher } from 'undici';
import { mayDial, parseWebhookUrl, PrivateAddress, UnsafeAddress, type Reach } from './address-guard';
import { openClient, type Connections } from './connections';
import { resolveSafely, type Address, type Lookup } from './resolve';
import type { Outcome } from './schedule';

/** `headers` is asked right before the call is written, so that the timestamp is of that moment. */
export type Call = { readonly url: string; readonly headers: () => Record<string, string>; readonly body: string };

export type Line = {
  readonly reach: Reach;
  readonly lookup?: Lookup | undefined;
  /** Name resolution, connection, headers and body together; 30 s unless given (spec: Delivery). */
  readonly deadlineMilliseconds?: number | undefined;
  /** A certificate authority to trust instead of the system's, PEM. */
  readonly ca?: string | undefined;
  /** Where connections are kept between calls; without it every call has its own. */
  readonly connections?: Connections | undefined;
};

export const DEADLINE_MILLISECONDS = 30_000;
/** What is read of an answer's body before the connection is cut, and what of it is kept to show. */
const MOST_BODY_BYTES = 16 * 1024;
const KEPT_BODY_BYTES = 2 * 1024;
const LONGEST_ERROR = 100;

/** Makes the call and says how it ended. Does not throw for anything that the receiver or its name server can do. */
export async function callReceiver(call: Call, line: Line): Promise<Outcome> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), line.deadlineMilliseconds ?? DEADLINE_MILLISECONDS);
  try {
    return await exchange(call, line, deadline.signal);
  } catch (error) {
    if (error instanceof UnsafeAddress) return { kind: 'refused', error: 'ADDRESS_NOT_ALLOWED' };
    if (deadline.signal.aborted) return { kind: 'timeout' };
    return { kind: 'unreachable', error: errorCode(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(call: Call, line: Line, deadline: AbortSignal): Promise<Outcome> {
  const url = parseWebhookUrl(call.url, line.reach);
  const addresses = await orAborted(resolveSafely(url, line.reach, line.lookup), deadline);
  const open = (): Client => openClient(url.origin, pinnedTo(addresses, line));
  // An address that the name no longer leads to is another key, so its connections are never used again.
  const key = [url.origin, ...addresses.map(({ address }) => address).toSorted()].join(' ');
  const client = line.connections?.take(key, open) ?? open();
  return exchangeOn(client, { call, url, key }, line, deadline);
}

type Letter = { readonly call: Call; readonly url: URL; readonly key: string };

async function exchangeOn(
  client: Client,
  { call, url, key }: Letter,
  { connections }: Line,
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

/** A connector that knows these addresses only, whatever the name resolves to by now. */
function pinnedTo(addresses: readonly Address[], { reach, deadlineMilliseconds, ca }: Line): buildConnector.connector {
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

/** The first bytes of a body as text. Whatever ends it early is no fault: the status has said what there is to say. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<{ text: string; isWhole: boolean }> {
  const kept: Buffer[] = [];
  let read = 0;
  let isWhole = false;
  try {
    for await (const chunk of body) {
      if (read < KEPT_BODY_BYTES) kept.push(chunk);
      read += chunk.length;
      if (read >= MOST_BODY_BYTES) break;
    }
    isWhole = read < MOST_BODY_BYTES;
  } catch {
    // A body that is cut, malformed or slower than the deadline.
  }
  // In stream mode a character that the cut went through is dropped; PostgreSQL takes no NUL.
  const bytes = Buffer.concat(kept).subarray(0, KEPT_BODY_BYTES);
  return { text: new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', ''), isWhole };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('too late')), { once: true });
    work.then(resolve, reject);
  });
}

/** A fault's code. Its message may name addresses inside our network, so the merchant does not get to see it. */
function errorCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const known = typeof code === 'string' ? code : name;
  return typeof known === 'string' ? known.slice(0, LONGEST_ERROR) : 'UNKNOWN';
}
