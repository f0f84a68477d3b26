// How the families read drafts back and sign them: one object for each, from the exact bytes that will be signed. Pure and free of chain
// SDKs and network access, because the signer loads it; signer/imports.test.ts checks that. The worker writes drafts with the chains' own
// libraries (families/*/sending/write-draft.ts), so that writer and reader are independent implementations.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { Draft, DraftFacts, SignedTransaction } from '@/lib/networks/sending/send';
import { readEvmDraft, signedEvm } from './evm/sending/read-draft';
import { keyBytes } from './solana/address';
import { readSolanaDraft, signedSolana } from './solana/sending/read-draft';
import { requestAddress } from './tron/address';
import { readTronDraft, signedTron } from './tron/sending/read-draft';

export type Signing = {
  /** What the wallet's key signs: 32 bytes (EVM, TRON: secp256k1) or the message (Solana: ed25519). */
  readonly payload: Uint8Array;
  /**
   * Builds the transaction from the signature: 65 bytes r, s, v with v 0 or 1, or 64 bytes. Throws BadDraft.
   */
  finish(signature: Uint8Array): SignedTransaction;
};

export type DraftFamily<D extends Draft> = {
  /** What the draft pays. Throws BadDraft for bytes that are not exactly one token transfer as this version writes it. */
  readonly read: (draft: D) => DraftFacts;
  readonly signing: (draft: D) => Signing;
  /** An address in the form in which drafts are compared: EVM in lower case. */
  readonly comparable: (address: string) => string;
  /** Whether the text is an address of the family, in the stored form, that can have an owner. */
  readonly isPayable: (address: string) => boolean;
};

type DraftFamilies = { readonly [F in NetworkFamily]: DraftFamily<Extract<Draft, { readonly family: F }>> };

const same = (text: string): string => text;

export const DRAFT_FAMILIES: DraftFamilies = {
  evm: {
    read: readEvmDraft,
    signing: signedEvm,
    comparable: (text) => text.toLowerCase(),
    isPayable: (address) => /^0x[0-9a-f]{40}$/.test(address) && !/^0x0+$/.test(address),
  },
  tron: { read: readTronDraft, signing: signedTron, comparable: same, isPayable: isTronAddress },
  solana: {
    read: readSolanaDraft,
    signing: signedSolana,
    comparable: same,
    isPayable: (address) => keyBytes(address)?.some((byte) => byte !== 0) ?? false,
  },
};

/** The family of a draft. The type of the draft and its family always agree, which the compiler cannot follow over a union. */
export const familyOfDraft = <D extends Draft>(draft: D): DraftFamily<D> =>
  DRAFT_FAMILIES[draft.family] as unknown as DraftFamily<D>;

function isTronAddress(address: string): boolean {
  try {
    return !/^410+$/.test(requestAddress(address));
  } catch {
    // The decoder throws only for text that is not an address.
    return false;
  }
}
