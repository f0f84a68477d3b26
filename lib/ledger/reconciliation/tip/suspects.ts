// Transfers that look like a theft, and which endpoints report each of them. One that enough endpoints report is confirmed. One that lacks
// reports is kept while an endpoint that could still report it has not answered, so an endpoint that fails delays the freeze and hides nothing.

import type { FoundTransfer } from '@/lib/networks/chain';

/** How long a suspect is requested from endpoints that answer without it. Without a limit, a forged one would cost requests forever. */
const DENIED_MILLISECONDS = 600_000;
/** Open suspects that one endpoint alone reports: it may forge any number. The first ones of a real theft are enough to freeze signing. */
const MOST_ALONE = 1000;

/**
 * `by`: the endpoints that reported it. `denied`: those whose last answer about its block lacks it. `tries`: how often its block was requested.
 * `since`: when the first endpoint reported it, in milliseconds by our clock, because an endpoint may claim any block.
 */
export type Suspect = {
  transfer: FoundTransfer;
  readonly by: Set<number>;
  readonly denied: Set<number>;
  tries: number;
  readonly since: number;
};

type Suspects = {
  /** Counts what an endpoint reports. Returns how many transfers were left out, because it alone reports too many. */
  readonly add: (at: number, found: readonly FoundTransfer[], now: number) => number;
  readonly inBlock: (number: number) => readonly Suspect[];
  /** Those that lack reports. */
  readonly lacking: () => readonly Suspect[];
  readonly confirmed: () => readonly FoundTransfer[];
  readonly drop: (transfer: FoundTransfer) => void;
  /** Drops old ones that too many endpoints deny. */
  readonly dropDenied: (now: number) => void;
};

/** `needed`: how many of these endpoints must report a transfer. */
export function openSuspects({ endpoints, needed }: { endpoints: number; needed: number }): Suspects {
  const all = new Map<string, Suspect>();
  return {
    add(at, found, now) {
      let room = MOST_ALONE - [...all.values()].filter(({ by }) => by.size === 1 && by.has(at)).length;
      let left = 0;
      for (const transfer of found) {
        const known = all.get(identityOf(transfer));
        if (known) {
          // After a reorg it may be in another block.
          Object.assign(known, { transfer }).by.add(at);
          known.denied.delete(at);
        } else if (room > 0) {
          room -= 1;
          all.set(identityOf(transfer), { transfer, by: new Set([at]), denied: new Set(), tries: 0, since: now });
        } else left += 1;
      }
      return left;
    },
    inBlock: (number) => [...all.values()].filter(({ transfer }) => transfer.blockNumber === number),
    lacking: () => [...all.values()].filter(({ by }) => by.size < needed),
    confirmed: () => [...all.values()].filter(({ by }) => by.size >= needed).map(({ transfer }) => transfer),
    drop: (transfer) => void all.delete(identityOf(transfer)),
    dropDenied(now) {
      for (const [identity, { denied, since }] of all)
        if (since < now - DENIED_MILLISECONDS && endpoints - denied.size < needed) all.delete(identity);
    },
  };
}

/** The same in every block that may have the transaction, and with the amount, so that endpoints must agree on it. */
const identityOf = ({ transactionHash, ordinal, payer, recipient, contract, amount }: FoundTransfer): string =>
  [transactionHash, ordinal, payer, recipient, contract, amount].join(' ');
