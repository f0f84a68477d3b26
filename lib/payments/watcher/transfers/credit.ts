// Stores what a scan proved final and settles the sessions that it pays: normally all in one transaction, together with the
// cursor. If that transaction fails, it is made again with every transfer, mark and sighting apart: what the database refuses
// is quarantined with its facts, the cursor moves on, and each session is settled in a transaction of its own.

import type { AccountCursor } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { atOnce, inSavepoints, type Apply } from '@/lib/platform/database/isolate';
import { quarantineFailed, queueAlone } from '@/lib/platform/database/quarantine';
import { settleAlone } from '@/lib/payments/sessions/settle/alone';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import {
  openUnconfirmed,
  orphanThese,
  orphanUpTo,
  proveTransfers,
  storeTransfers,
  type Find,
  type ProvenTransfer,
} from './store';
import { storeMarks } from '@/lib/payments/watcher/accounts/account-cursors';
import { accountSubject, unconfirmedSubject, transferSubject } from './quarantined';

export type SessionMark = AccountCursor & { readonly sessionId: string };

export type Credited = {
  readonly step: string;
  readonly chainId: number;
  readonly network: string;
  readonly finds: readonly Find[];
  readonly marks: readonly SessionMark[];
  /** Up to where sightings that finality did not bear out are given up; null when the blocks were not read whole. */
  readonly through: number | null;
  /** Holds the chain's row. False: another worker has stored this, or the chain is no longer followed. */
  readonly hold: (tx: Tx) => Promise<boolean>;
};

/** Answers the sessions that got a transfer which they did not have, or null when the row could not be held. */
export async function credit(context: Context, chain: FollowedChain, found: Credited): Promise<string[] | null> {
  const now = context.clock.now();
  const { chainId, finds, step } = found;
  const evidenceKey = context.config.EVIDENCE_KEY;
  const proven = await proveTransfers(context.pool, chain.spec, { chainId, finds, now, evidenceKey });
  try {
    return await transaction(context.pool, async (tx) => {
      const sessions = await store({ ...context, db: tx }, tx, { ...found, proven, now, apply: atOnce });
      if (sessions && sessions.length > 0) await settleSessions(tx, sessions, { now, log: context.log });
      return sessions;
    });
  } catch (error) {
    context.log.warn({ err: error, step }, 'a window could not be credited at once: each of its rows is by itself');
  }
  const sessions = await transaction(context.pool, async (tx) => {
    const stored = await store({ ...context, db: tx }, tx, { ...found, proven, now, apply: inSavepoints(tx) });
    // Recorded with the cursor: a crash before they are settled loses nothing.
    for (const id of stored ?? []) await queueAlone(tx, step, { kind: 'session', id }, now);
    return stored;
  });
  if (sessions) await settleAlone(context, step, sessions);
  return sessions;
}

type Storing = Credited & { readonly proven: readonly ProvenTransfer[]; readonly now: Date; readonly apply: Apply };
type Deps = Parameters<typeof quarantineFailed>[0];

async function store(deps: Deps, tx: Tx, storing: Storing): Promise<string[] | null> {
  const { chainId, proven, marks, through, now, apply, step, hold } = storing;
  if (!(await hold(tx))) return null;
  const transfers = await apply(proven, (some) => storeTransfers(tx, some, now));
  await quarantineFailed(deps, step, transfers.failed, transferSubject);
  const kept = await apply(marks, (some) => storeMarks(tx, { chainId, marks: some, now }));
  await quarantineFailed(deps, step, kept.failed, (mark) => accountSubject(storing, mark));
  if (through !== null) await giveUpUnconfirmed(deps, tx, { ...storing, through });
  return [...new Set(transfers.results.flat())].toSorted();
}

async function giveUpUnconfirmed(deps: Deps, tx: Tx, storing: Storing & { readonly through: number }): Promise<void> {
  const { chainId, through, now, apply, step } = storing;
  if (apply === atOnce) return orphanUpTo(tx, chainId, through, now);
  const open = await openUnconfirmed(tx, chainId, { above: -1, upTo: through });
  const given = await apply(open, (some) => orphanThese(tx, some, now));
  await quarantineFailed(deps, step, given.failed, (sighting) => unconfirmedSubject(chainId, sighting));
}
