// Groups addresses whose sign-in attempts are counted together.

import ipaddr from 'ipaddr.js';
import { groupOf } from '@/lib/platform/rate-limit/address-group';
import type { Config } from '@/lib/platform/config/config';

/**
 * Empty when attempts are not counted by address: when the address is unknown, and for this machine itself if the settings
 * exempt loopback, as the sandbox does.
 */
export function attemptGroup({ LIMIT_LOOPBACK }: Pick<Config, 'LIMIT_LOOPBACK'>, address: string): string {
  if (!ipaddr.isValid(address)) return '';
  return !LIMIT_LOOPBACK && ipaddr.process(address).range() === 'loopback' ? '' : groupOf(address);
}
