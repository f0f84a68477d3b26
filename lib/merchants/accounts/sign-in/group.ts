// Whose attempts are counted together by address.

import ipaddr from 'ipaddr.js';
import { groupOf } from '@/lib/platform/rate-limit/address-group';
import type { Config } from '@/lib/platform/config/config';

/**
 * Empty, so that nobody is counted by it, when the address is not known, and for this machine itself where the settings say that
 * it is not limited, as the sandbox does.
 */
export function countedGroup({ LIMIT_LOOPBACK }: Pick<Config, 'LIMIT_LOOPBACK'>, address: string): string {
  if (!ipaddr.isValid(address)) return '';
  return !LIMIT_LOOPBACK && ipaddr.process(address).range() === 'loopback' ? '' : groupOf(address);
}
