// Reads a draft back from the exact bytes that will be signed, so that the signer can decide on them. Pure and free of chain SDKs
// and network access; signer/imports.test.ts checks that.

import { readEvmDraft, signedEvm } from '@/lib/networks/families/evm/sending/draft';
import type { Draft, DraftFacts, PaymentOrder, SignedTransaction } from './send';
import { BadDraft } from './send';
import { readSolanaDraft, signedSolana } from '@/lib/networks/families/solana/sending/draft';
import { readTronDraft, signedTron } from '@/lib/networks/families/tron/sending/draft';

/** What a draft pays. Throws BadDraft for bytes that are not exactly one token transfer as this version writes it. */
export function readDraft(draft: Draft): DraftFacts {
  switch (draft.family) {
    case 'evm':
      return readEvmDraft(draft);
    case 'tron':
      return readTronDraft(draft);
    case 'solana':
      return readSolanaDraft(draft);
    default:
      return draft satisfies never;
  }
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
  const same = draft.family === 'evm' ? (text: string) => text.toLowerCase() : (text: string) => text;
  if (draft.intentId !== order.intentId || (facts.intentId ?? order.intentId) !== order.intentId) {
    throw new BadDraft('it is for another intent');
  }
  if (facts.contract !== same(order.contract)) throw new BadDraft('it moves another token than ordered');
  if (facts.to !== same(order.to)) throw new BadDraft('it pays another recipient than ordered');
  if (facts.from !== same(from)) throw new BadDraft('it pays from another address');
  if (facts.amount !== order.amount) throw new BadDraft('it pays another amount than ordered');
  if (facts.chainId !== null && facts.chainId !== chainId) throw new BadDraft('it is for another chain');
  if (facts.feeCap > mostFee) throw new BadDraft('it may cost more in fees than is allowed');
  return facts;
}

/**
 * The payload that the wallet's key signs: 32 bytes (EVM, TRON: secp256k1) or the message (Solana: ed25519). `finish` builds the
 * transaction from the signature: 65 bytes r, s, v with v 0 or 1, or 64 bytes. Throws BadDraft.
 */
export function signing(draft: Draft): {
  readonly payload: Uint8Array;
  finish(signature: Uint8Array): SignedTransaction;
} {
  switch (draft.family) {
    case 'evm':
      return signedEvm(draft);
    case 'tron':
      return signedTron(draft);
    case 'solana':
      return signedSolana(draft);
    default:
      return draft satisfies never;
  }
}
