// Reads typed TRON addresses: base58check, whose checksum catches every likely typing error.

import type { FamilyRecipient } from './fault';
import { addressBytes } from '@/lib/networks/families/tron/address';

const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** Burn addresses: zero, and the account to which the network itself burns. */
const BURNT: ReadonlySet<string> = new Set([
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
  'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
]);
/** Precompiles. No key hashes to such a small number in practice. */
const SYSTEM = /^0{28}/;

export const looksLikeTron = (text: string): boolean => ADDRESS.test(text);

/** Reads text that looks like an address: the address, or the fault. */
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
    // The decoder throws only for text that is not an address.
    return null;
  }
}
