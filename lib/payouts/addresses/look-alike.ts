// Whether two addresses look alike to a person who compares only their ends. An attacker makes such an address and hopes that it is copied
// from a history. Pure.

import type { NetworkFamily } from '@/lib/networks/chain';

/** What every address of the family begins with; it distinguishes none. */
const PREFIXES: Readonly<Record<NetworkFamily, string>> = { evm: '0x', tron: 'T', solana: '' };
/** As many characters as wallets commonly show at each end. */
const SHOWN = 4;

/** Whether both ends are equal but the addresses differ. Upper and lower case count as equal: people do not tell them apart. */
export function looksAlike(family: NetworkFamily, one: string, other: string): boolean {
  return one !== other && endsOf(family, one) === endsOf(family, other);
}

function endsOf(family: NetworkFamily, address: string): string {
  const rest = address.slice(PREFIXES[family].length).toLowerCase();
  return `${rest.slice(0, SHOWN)}…${rest.slice(-SHOWN)}`;
}
