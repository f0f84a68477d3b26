// Reads typed EVM addresses. A mixed-case address carries a checksum (EIP-55), which catches all but one in four thousand typing
// errors. A single-case address carries none.

import { checksumAddress } from '@/lib/networks/families/evm/address';
import type { FamilyRecipient } from './fault';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Common burn addresses. */
const BURNT: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0xffffffffffffffffffffffffffffffffffffffff',
]);
/** Precompiles and system contracts. No key hashes to such a small number in practice. */
const SYSTEM = /^0x0{28}/;

export const looksLikeEvm = (text: string): boolean => ADDRESS.test(text);

/** Reads text that looks like an address: the address in lower case, or the fault. */
export function readEvmRecipient(text: string): FamilyRecipient {
  const address = text.toLowerCase();
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && checksumAddress(address) !== text) return { fault: 'checksum' };
  if (BURNT.has(address)) return { fault: 'zero' };
  return SYSTEM.test(address) ? { fault: 'cannot_receive' } : { address };
}
