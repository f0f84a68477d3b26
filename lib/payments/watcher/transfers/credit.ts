// Stores the final transfers of a scan in both directions and settles the sessions that they pay, normally in one transaction with the cursor. If that
// transaction fails, a second one stores every transfer, account cursor and unconfirmed transfer in its own savepoint. Rows that
// PostgreSQL refuses are quarantined with their facts, the cursor moves on, and each session settles in its own transaction.

import type { AccountCursor } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { atOnce, inSavepoints, type Apply } from '@/lib/platform/database/isolate';
import { instruments } from '@/lib/platform/metrics/instruments';
import { quarantineFailed, queueAlone } from '@/lib/platform/database/quarantine';
import { settleOneByOne } from '@/lib/payments/sessions/settle/one-by-one';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import {
  openUnconfirmed,
  orphanThese,
  orphanUpTo,
  proveTransfers,
  storeTransfers,
  type SessionTransfer,
  type ProvenTransfer,
} from './store';
import { storeAccountCursors } from '@/lib/payments/watcher/accounts/account-cursors';
import { outgoingSubject, storeOutgoing, type OutgoingTransfer } from './outgoing';
import { accountSubject, unconfirmedSubject, transferSubject } from './quarantined';

type SessionAccountCursor = AccountCursor & { readonly sessionId: string };

export type Credited = {
  readonly step: string;
  readonly chainId: number;
  readonly network: string;
  readonly foundTransfers: readonly SessionTransfer[];
  /** What left deposit addresses. */
  readonly outgoing: readonly OutgoingTransfer[];
  readonly cursors: readonly SessionAccountCursor[];
  /** Unconfirmed transfers up to this block that did not become final are orphaned. Null when the blocks were not read completely. */
  readonly through: number | null;
  /** Locks the chain's row. False: another worker has stored this window, or the chain is no longer followed. */
  readonly hold: (tx: Tx) => Promise<boolean>;
};

/** Returns the sessions that got a new transfer, or null when the row could not be locked. */
export async function credit(context: Context, chain: FollowedChain, found: Credited): Promise<string[] | null> {
  const now = context.clock.now();
  const { chainId, foundTransfers, step } = found;
  const evidenceKey = context.config.EVIDENCE_KEY;
  const proven = await proveTransfers(context.pool, chain.spec, { chainId, foundTransfers, now, evidenceKey });
  let waits: number[] = [];
  try {
    const credited = await transaction(context.pool, async (tx) => {
      waits = [];
      const sessions = await store({ ...context, db: tx }, tx, { ...found, proven, now, waits, apply: atOnce });
      if (sessions && sessions.length > 0) await settleSessions(tx, sessions, { now, log: context.log });
      return sessions;
    });
    observeWaits(chain, waits);
    return credited;
  } catch (error) {
    context.log.warn(
      { err: error, step },
      'a window could not be credited in one transaction: each row is stored in its own savepoint',
    );
  }
  const sessions = await transaction(context.pool, async (tx) => {
    waits = [];
    const stored = await store({ ...context, db: tx }, tx, { ...found, proven, now, waits, apply: inSavepoints(tx) });
    // Queued in the transaction of the cursor, so that a crash before settlement loses nothing.
    for (const id of stored ?? []) await queueAlone(tx, step, { kind: 'session', id }, now);
    return stored;
  });
  observeWaits(chain, waits);
  if (sessions) await settleOneByOne(context, step, sessions);
  return sessions;
}

/** Only after the commit: a window that is stored again counts once. */
function observeWaits({ environment, network }: FollowedChain, waits: readonly number[]): void {
  const { seenToCreditedSeconds } = instruments();
  for (const seconds of waits) seenToCreditedSeconds.observe({ environment, network }, Math.max(0, seconds));
}

type Storing = Credited & {
  readonly waits: number[];
  readonly proven: readonly ProvenTransfer[];
  readonly now: Date;
  readonly apply: Apply;
};
type Deps = Parameters<typeof quarantineFailed>[0];

async function store(deps: Deps, tx: Tx, storing: Storing): Promise<string[] | null> {
  const { chainId, proven, outgoing, cursors, through, now, waits, apply, step, hold } = storing;
  if (!(await hold(tx))) return null;
  const transfers = await apply(proven, (some) => storeTransfers(tx, some, now, waits));
  await quarantineFailed(deps, step, transfers.failed, transferSubject);
  const sent = await apply(outgoing, (some) => storeOutgoing(tx, some, now));
  await quarantineFailed(deps, step, sent.failed, outgoingSubject);
  const kept = await apply(cursors, (some) => storeAccountCursors(tx, { chainId, cursors: some, now }));
  await quarantineFailed(deps, step, kept.failed, (cursor) => accountSubject(storing, cursor));
  if (through !== null) await orphanUnconfirmed(deps, tx, { ...storing, through });
  return [...new Set(transfers.results.flat())].toSorted();
}

async function orphanUnconfirmed(deps: Deps, tx: Tx, storing: Storing & { readonly through: number }): Promise<void> {
  const { chainId, through, now, apply, step } = storing;
  if (apply === atOnce) return orphanUpTo(tx, chainId, through, now);
  const open = await openUnconfirmed(tx, chainId, { above: -1, upTo: through });
  const given = await apply(open, (some) => orphanThese(tx, some, now));
  await quarantineFailed(deps, step, given.failed, (transfer) => unconfirmedSubject(chainId, transfer));
}
