// Owners whose token accounts cannot be read, on a network that is read by account. They hold the cursor back, so that nothing
// expires unread. An owner that does so for half a minute is quarantined: the cursor moves on without it, its own session alone
// does not expire, and the quarantine retries it with a backoff. A flooded account is quarantined at once and holds nothing back.

import type { Context } from '@/lib/context';
import { endQuarantine, quarantine } from '@/lib/quarantine';
import type { AddressBook } from './addresses';
import { accountId, accountSubject } from './quarantined';

/** Endpoints that lag list a transaction within seconds; a network is taken off the offer after a minute. */
const PATIENCE_MS = 30_000;
/** Each try of a flooded account costs up to 150 requests, and a flood does not pass. */
const LONGEST_PAUSE_OF_FLOODED = 86_400;
const FLOODED =
  'Somebody floods a token account of this address: it has more new transactions than are read at once. Payments among the newest ' +
  'are credited. The others are read later; a balance that they leave unexplained is reported as a discrepancy.';

export type NotedScan = {
  readonly step: string;
  readonly chainId: number;
  readonly network: string;
  readonly book: AddressBook;
};

export type Unread = {
  /** A scan could not read these owners. */
  readonly failed: (context: Context, scan: NotedScan, owners: readonly string[], error: Error) => Promise<void>;
  /** These owners have accounts with more new transactions than a scan reads. To be called before the cursor moves. */
  readonly flooded: (context: Context, scan: NotedScan, owners: readonly string[]) => Promise<void>;
  /** A scan read every owner that it was asked for, and what it found is stored. */
  readonly readAll: (context: Context, scan: NotedScan) => Promise<void>;
};

/** Remembers since when which owners of one network cannot be read; a restart of the worker begins anew. */
export function openUnread(): Unread {
  let since: ReadonlyMap<string, number> = new Map();
  return {
    async failed(context, { step, chainId, network, book }, owners, error) {
      const now = context.clock.now().getTime();
      const others = [...since].filter(([owner]) => !book.has(owner));
      const failing = owners.map((owner) => [owner, since.get(owner) ?? now] as const);
      since = new Map([...others, ...failing]);
      for (const [owner, first] of failing) {
        if (now - first < PATIENCE_MS && !book.quarantined.has(owner)) continue;
        const subject = accountSubject({ chainId, network }, { owner, sessionId: book.sessionOf(owner) });
        await quarantine({ ...context, db: context.pool }, step, subject, error);
      }
    },
    async flooded(context, { step, chainId, network, book }, owners) {
      for (const owner of owners) {
        const subject = accountSubject({ chainId, network }, { owner, sessionId: book.sessionOf(owner) });
        const slow = { ...subject, longestPauseSeconds: LONGEST_PAUSE_OF_FLOODED };
        await quarantine({ ...context, db: context.pool }, step, slow, new Error(FLOODED));
      }
    },
    async readAll(context, { chainId, book }) {
      since = new Map([...since].filter(([owner]) => !book.has(owner)));
      const ids = [...book.quarantined].map((owner) => accountId(chainId, owner));
      await endQuarantine(context.pool, { kind: 'account', ids, now: context.clock.now(), isDueOnly: true });
    },
  };
}
