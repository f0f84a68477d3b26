// Groups addresses whose requests share a rate limit.

import ipaddr from 'ipaddr.js';

/**
 * Returns an IPv4 address unchanged and an IPv6 address as its /64, the smallest network that a customer gets. Leaves other
 * text unchanged.
 */
export const groupOf = (address: string): string => networkOf(address, 64);

/**
 * Like `groupOf`, with the /56 that providers give a home (RIPE-690). For limits on what a stranger can hold without paying:
 * the 256 networks of one home must not count as 256 customers.
 */
export const homeOf = (address: string): string => networkOf(address, 56);

function networkOf(address: string, bits: number): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${bits}`).toString()}/${bits}`;
}
