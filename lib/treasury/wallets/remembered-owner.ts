// Remembers which deposit addresses a source has confirmed as its own: each confirmation costs a call of the signer, which derives the keys
// again, and the approval of every payment needs those of all recent transfers of its store.

import type { AddressSource } from './address-source';

/** About two megabytes. */
const MOST = 10_000;

/** Confirmations are repeated from memory. Refusals and failures are not: the source may know an index later. */
export function rememberOwned(source: Pick<AddressSource, 'owns'>): Pick<AddressSource, 'owns'> {
  const confirmed = new Set<string>();
  return {
    owns: async (index, addresses) => {
      const known = `${index} ${addresses.join(' ')}`;
      if (confirmed.has(known)) return true;
      if (!(await source.owns(index, addresses))) return false;
      if (confirmed.size >= MOST) confirmed.clear();
      confirmed.add(known);
      return true;
    },
  };
}
