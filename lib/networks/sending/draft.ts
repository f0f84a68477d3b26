// Reads a draft back from the exact bytes that will be signed, so that the signer can decide on them. Pure and free of chain SDKs
// and network access; signer/imports.test.ts checks that.

import { familyOfDraft, type Signing } from '@/lib/networks/families/drafts';
import { readEvmItem } from '@/lib/networks/families/evm/sending/read-draft';
import type { BatchPlace } from './batch';
import type { Draft, DraftFacts, PaymentOrder } from './send';
import { BadDraft } from './send';

/** What a draft pays. Throws BadDraft for bytes that are not exactly one token transfer as this version writes it. */
export const readDraft = (draft: Draft): DraftFacts => familyOfDraft(draft).read(draft);

/** The payload that the wallet's key signs, and the transaction that a signature completes. Throws BadDraft. */
export const signing = (draft: Draft): Signing => familyOfDraft(draft).signing(draft);

/** The place of a draft in its batch; null for a payment that is sent alone. Throws BadDraft. */
export function batchPlaceOf(draft: Draft): BatchPlace | null {
  if (draft.family !== 'evm' || draft.item === undefined) return null;
  const items = readEvmItem(draft)?.batch.items;
  return items ? { index: draft.item, items } : null;
}

/** The facts of a draft that pays exactly this order from this address within the fee cap. Throws BadDraft otherwise. */
export function checkDraft(
  draft: Draft,
  expected: {
    readonly order: PaymentOrder;
    readonly from: string;
    readonly chainId: number | null;
    readonly mostFee: bigint;
  },
): DraftFacts {
  const { order, from, chainId, mostFee } = expected;
  const facts = readDraft(draft);
  const { comparable } = familyOfDraft(draft);
  if (draft.intentId !== order.intentId || (facts.intentId ?? order.intentId) !== order.intentId) {
    throw new BadDraft('it is for another intent');
  }
  if (facts.contract !== comparable(order.contract)) throw new BadDraft('it moves another token than ordered');
  if (facts.to !== comparable(order.to)) throw new BadDraft('it pays another recipient than ordered');
  if (facts.from !== comparable(from)) throw new BadDraft('it pays from another address');
  if (facts.amount !== order.amount) throw new BadDraft('it pays another amount than ordered');
  if (facts.chainId !== null && facts.chainId !== chainId) throw new BadDraft('it is for another chain');
  if (facts.feeCap > mostFee) throw new BadDraft('it may cost more in fees than is allowed');
  return facts;
}
