// The addresses of a sanctions list, in the form in which each family of networks stores them. A list names a token, such as USDT, and
// not a network: the address itself says which family it is of.

import type { NetworkFamily } from '@/lib/networks/chain';
import { isKey } from '@/lib/networks/families/solana/address';
import { addressBytes } from '@/lib/networks/families/tron/address';

export type FamilyAddress = { readonly family: NetworkFamily; readonly address: string };

/** Null for an address of a chain that this service does not follow, such as Bitcoin, and for anything else. */
export function familyAddress(text: string): FamilyAddress | null {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { family: 'evm', address: text.toLowerCase() };
  if (isTronAddress(text)) return { family: 'tron', address: text };
  return isKey(text) ? { family: 'solana', address: text } : null;
}

function isTronAddress(text: string): boolean {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return false;
  try {
    addressBytes(text);
    return true;
  } catch {
    return false; // The checksum is wrong, which is the one thing that throws here.
  }
}
