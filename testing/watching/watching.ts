// A Watch over a fixed set of deposit addresses, for tests of adapters.

import type { Watch, DueAddress } from '@/lib/networks/chain';

/** Watches these addresses; they are also the due addresses of a network that is read by account. */
export function watching(addresses: Iterable<string>, due: readonly DueAddress[] = []): Watch {
  const watched = new Set(addresses);
  const known = new Map(due.map((one) => [one.owner, one]));
  return {
    among: async (recipients) => new Set(recipients.filter((one) => watched.has(one))),
    dueAddresses: async () => [...watched].map((owner) => known.get(owner) ?? { owner, accountCursors: [] }),
  };
}
