// An intent, rebuilt from the journal's records: its order and the attempts signed for it. Pure.

import type { Draft } from '@/lib/networks/sending/send';
import { sessionOfEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { Entry, JournalRecord } from './journal/record';
import type { RefundOrder, Signed } from './orders';
import type { Allowed } from './policy';

export type Attempt = {
  readonly at: number;
  /** SHA-256 of the signed payload, in hex. It distinguishes the payloads of an intent. */
  readonly digest: string;
  readonly draft: Draft;
  readonly signed: Signed;
};

export type Intent = {
  readonly order: RefundOrder;
  /** The chain of the network (such as `local`) from the settings at that time. */
  readonly chain: string;
  readonly cents: bigint;
  /** Whether two operators approved it. */
  readonly isApproved: boolean;
  readonly attempts: readonly Attempt[];
  readonly isReleased: boolean;
};

/** The intent after applying a record about it. Throws when the record is about an intent that was never opened. */
export function applied(intent: Intent | null, { at, entry }: JournalRecord): Intent {
  if (entry.kind === 'opened') {
    const { order, chain, cents, approvedBy } = entry;
    const isApproved = approvedBy !== undefined;
    return { order, chain, cents: BigInt(cents), isApproved, attempts: [], isReleased: false };
  }
  if (!intent) throw new Error('has a record about an intent that was never opened');
  if (entry.kind === 'released') return { ...intent, isReleased: true };
  if (entry.kind === 'batch') return { ...intent, attempts: [...intent.attempts, itemOf(intent, entry, at)] };
  if (entry.kind !== 'signed') return intent;
  const { digest, draft, signed } = entry;
  return { ...intent, attempts: [...intent.attempts, { at, digest, draft, signed }] };
}

/** An intent's attempt in a batch. Throws when the batch does not contain it. */
function itemOf({ order: { intentId } }: Intent, entry: Extract<Entry, { kind: 'batch' }>, at: number): Attempt {
  const { intentIds, digest, from, unsigned, signed } = entry;
  const item = intentIds.indexOf(intentId);
  if (item < 0) throw new Error('has a batch that does not contain its intent');
  return { at, digest, draft: { family: 'evm', intentId, from, unsigned, item }, signed };
}

/** The record that opens an intent. `approvedBy`: the two people who approved it, or null. */
export const openedBy = ({ order, spec, cents }: Allowed, approvedBy: string[] | null): Entry => ({
  kind: 'opened',
  chain: spec.chain,
  cents: String(cents),
  order,
  ...(approvedBy === null ? {} : { approvedBy }),
});

/**
 * Compares everything but the evidence, which only needs the same session and kind. When an operator starts to offer a
 * token, the evidence name of the session's refunds in it changes.
 */
export const isSameOrder = ({ order: before, chain }: Intent, { order, spec }: Allowed): boolean =>
  chain === spec.chain && identityOf(before) === identityOf(order);

const identityOf = ({ environment, network, currency, contract, to, amount, evidence }: RefundOrder): string =>
  JSON.stringify([
    environment,
    network,
    currency,
    contract,
    to,
    amount,
    sessionOfEvidence(evidence.session),
    evidence.kind,
  ]);
