// Whose request it is: the socket's peer, unless that is a proxy which the settings trust to tell the client's address.

import ipaddr from 'ipaddr.js';
import { isInRanges } from '@/lib/auth/api-keys';

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/**
 * The client's address: walking X-Forwarded-For from its end, the first hop that is not a trusted proxy. A value that a
 * stranger put in front is never reached.
 */
export function clientAddress(
  peer: string,
  forwardedFor: readonly string[],
  trustedProxies: readonly string[],
): string {
  if (trustedProxies.length === 0) return peer;
  const hops = [...forwardedFor.flatMap((value) => value.split(',')).map((hop) => hop.trim()), peer].filter((hop) =>
    ipaddr.isValid(hop),
  );
  return hops.findLast((hop) => !isInRanges(hop, trustedProxies)) ?? peer;
}
