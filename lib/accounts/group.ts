// Whose attempts are counted together by address: an IPv4 address, or the /64 of IPv6 that one customer is given.

import ipaddr from 'ipaddr.js';

/** Empty when the address is not known: then nobody is counted by it. */
export function groupOf(address: string): string {
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
