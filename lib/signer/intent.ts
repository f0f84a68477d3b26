// An intent as the journal's records make it: its order and the attempts that were signed for it. Pure.

import type { Draft } from '@/lib/chains/send';
import type { JournalRecord } from './journal-record';
import type { RefundOrder, Signed } from './orders';

export type Attempt = {
  readonly at: number;
  /** SHA-256 of what is signed, in hex: what tells one payload of an intent from another. */
  readonly digest: string;
  readonly draft: Draft;
  readonly signed: Signed;
};

export type Intent = {
  readonly order: RefundOrder;
  /** Which chain of its network (`local`), as the settings had it. */
  readonly chain: string;
  readonly cents: bigint;
  readonly attempts: readonly Attempt[];
  readonly isReleased: boolean;
};

/** The intent after a record about it. Throws when the record is about an intent that was never opened. */
export function applied(intent: Intent | null, { at, entry }: JournalRecord): Intent {
  if (entry.kind === 'opened') {
    return { order: entry.order, chain: entry.chain, cents: BigInt(entry.cents), attempts: [], isReleased: false };
  }
  if (!intent) throw new Error('has a record about an intent that was never opened');
  if (entry.kind === 'released') return { ...intent, isReleased: true };
  if (entry.kind !== 'signed') return intent;
  const { digest, draft, signed } = entry;
  return { ...intent, attempts: [...intent.attempts, { at, digest, draft, signed }] };
}
