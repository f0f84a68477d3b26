// Determines the client's address: the socket's peer, unless the settings trust that peer as a proxy.

import ipaddr from 'ipaddr.js';
import { isInRanges } from '@/lib/merchants/api-keys/verify-key';

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean =>
  address === '127.0.0.1' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback');

/**
 * The client's address: walking X-Forwarded-For from its end, the first hop that is not a trusted proxy. Entries that a stranger
 * prepended are never reached. An unreadable hop ends the walk, and then the peer's address counts.
 */
export function clientAddress(
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
