// Whose requests are counted together by address.

import ipaddr from 'ipaddr.js';

/** An IPv4 address as it is, an IPv6 address as its /64, the smallest network that a customer is given. Leaves other text unchanged. */
export const groupOf = (address: string): string => networkOf(address, 64);

/**
 * As `groupOf`, with the /56 that providers give a home (RIPE-690): for limits on what a stranger can hold without paying, where
 * the 256 networks of one home must not count as 256 customers.
 */
export const homeOf = (address: string): string => networkOf(address, 56);

function networkOf(address: string, bits: number): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${bits}`).toString()}/${bits}`;
}
