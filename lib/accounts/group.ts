// Whose attempts are counted together by address: an IPv4 address, or the /64 of IPv6 that one customer is given.

import ipaddr from 'ipaddr.js';
import type { Config } from '@/lib/config';

/** The same, and empty for this machine itself where the settings say that it is not limited, as the sandbox does. */
export const countedGroup = ({ LIMIT_LOOPBACK }: Pick<Config, 'LIMIT_LOOPBACK'>, address: string): string =>
  !LIMIT_LOOPBACK && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback' ? '' : groupOf(address);

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
