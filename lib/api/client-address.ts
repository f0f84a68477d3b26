// Determines the client's address of a request, once, where its connection is accepted: the socket's peer, unless the settings
// trust that peer as a proxy. Next's handlers get no socket. They read the result from a header that only this process can write.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { isInRanges } from '@/lib/merchants/api-keys/verify-key';
import { sameBytes } from '@/lib/platform/crypto';
import { rawHeaderValues } from '@/lib/platform/http';

/** Carries the address from the accepting code to Next's handlers, after a token. A client's header of this name has no token. */
const CLIENT_HEADER = 'x-stabletill-client';
const FORWARDED = 'x-forwarded-for';

const shared = globalThis as unknown as { stabletillClientToken?: Buffer };
/** One per process, although Next and the server each load their own copy of this file. */
const token = (): Buffer => (shared.stabletillClientToken ??= Buffer.from(randomBytes(32).toString('base64url')));

/** The client's address in a handler of Next. Empty if no accepting code has determined it; then it equals no address. */
export function clientAddress(headers: Pick<Headers, 'get'>): string {
  const [given = '', address = ''] = (headers.get(CLIENT_HEADER) ?? '').split(' ');
  return sameBytes(Buffer.from(given), token()) ? address : '';
}

/** The request header that `clientAddress` reads. */
export const clientHeader = (address: string): Record<string, string> => ({
  [CLIENT_HEADER]: `${token().toString()} ${address}`,
});

/** The client's address on the connection that this process accepted. */
export const connectionAddress = (incoming: IncomingMessage, trustedProxies: readonly string[]): string =>
  addressBehind(incoming.socket.remoteAddress ?? '', rawHeaderValues(incoming.rawHeaders, FORWARDED), trustedProxies);

/**
 * Walking X-Forwarded-For from its end, the first hop that is not a trusted proxy. Entries that a stranger prepended are never
 * reached. An unreadable hop ends the walk, and then the peer's address counts.
 */
export function addressBehind(
  peer: string,
  forwardedFor: readonly string[],
  trustedProxies: readonly string[],
): string {
  if (trustedProxies.length === 0 || !isInRanges(peer, trustedProxies)) return peer;
  const hops = forwardedFor.flatMap((value) => value.split(',')).map((hop) => withoutPort(hop.trim()));
  const client = hops.findLast((hop) => !isInRanges(hop, trustedProxies));
  return client !== undefined && ipaddr.isValid(client) ? client : peer;
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;

/** Logged with the address that `untrustedProxyFinder` returns. */
export const UNTRUSTED_PROXY = 'X-Forwarded-For came from an address that TRUSTED_PROXIES does not name';

/**
 * Returns, once per process, the address of a peer that sends X-Forwarded-For without being trusted. A proxy missing from the
 * settings makes all its visitors one client. Any stranger can send the header, so this is only a hint.
 */
export function untrustedProxyFinder(trusted: readonly string[]): (request: IncomingMessage) => string | null {
  let isReported = false;
  return ({ headers, socket }) => {
    if (isReported || headers[FORWARDED] === undefined) return null;
    const peer = socket.remoteAddress ?? '';
    if (trusted.length > 0 && isInRanges(peer, trusted)) return null;
    isReported = true;
    return peer;
  };
}

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean =>
  address === '127.0.0.1' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback');
