// Typed TRON addresses: base58check, whose checksum finds every likely typing error.

import type { FamilyRecipient } from './fault';
import { addressBytes } from '@/lib/networks/families/tron/address';

const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** Where people destroy coins on purpose: zero, and the account that the network itself burns to. */
const BURNT: ReadonlySet<string> = new Set([
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
  'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
]);
/** Precompiles. No key was ever hashed into so small a number. */
const SYSTEM = /^0{28}/;

export const looksLikeTron = (text: string): boolean => ADDRESS.test(text);

/** Text that looks like an address, or what is wrong with it. */
export function readTronRecipient(text: string): FamilyRecipient {
  const bytes = bytesOf(text);
  if (bytes === null) return { fault: 'checksum' };
  if (BURNT.has(text)) return { fault: 'zero' };
  return SYSTEM.test(bytes) ? { fault: 'cannot_receive' } : { address: text };
}

function bytesOf(text: string): string | null {
  try {
    return addressBytes(text);
  } catch {
    // The decoder throws for text that is no address, and for nothing else.
    return null;
  }
}
