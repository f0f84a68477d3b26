// Whose requests are counted together by address: an IPv4 address, or with IPv6 the /64 that one customer is given.

import ipaddr from 'ipaddr.js';

/** What is no address stays as it is. */
export function groupOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
