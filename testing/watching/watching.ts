// A Watch over a fixed set of deposit addresses, for tests of adapters.

import type { Watch, WatchedOwner } from '@/lib/networks/chain';

/** Watches these addresses; `owners` returns the same ones for a network that is read by account. */
export function watching(addresses: Iterable<string>, marks: readonly WatchedOwner[] = []): Watch {
  const watched = new Set(addresses);
  const known = new Map(marks.map((one) => [one.owner, one]));
  return {
    among: async (recipients) => new Set(recipients.filter((one) => watched.has(one))),
    owners: async () => [...watched].map((owner) => known.get(owner) ?? { owner, marks: [] }),
  };
}
