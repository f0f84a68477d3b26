// Extracts a transaction hash from pasted text: the hash itself, or an explorer URL that contains one. Pure.

import { base58 } from '@scure/base';
import type { NetworkFamily } from '@/lib/networks/chain';

/** A hash as its networks write it, and its network family. */
export type ReadHash = { readonly hash: string; readonly family: NetworkFamily };

/** `address`: the text is an address, which does not identify a payment. */
export type Unreadable = { readonly hash: null; readonly looksLike: 'address' | null };

/** Longer than any explorer URL of a transaction. */
const LONGEST_TEXT = 500;
const SOLANA_BYTES = 64;

const EVM = /(?<![0-9a-z])0x([0-9a-f]{64})(?![0-9a-z])/i;
const TRON = /(?<![0-9a-z])([0-9a-f]{64})(?![0-9a-z])/i;
const SOLANA = /(?<![0-9a-z])([1-9A-HJ-NP-Za-km-z]{86,88})(?![0-9a-z])/i;
const ADDRESSES = /^(0x[0-9a-f]{40}|T[1-9A-HJ-NP-Za-km-z]{33}|[1-9A-HJ-NP-Za-km-z]{32,44})$/i;

/** The first hash in a text, or why there is none. */
export function readHash(text: string): ReadHash | Unreadable {
  const given = text.slice(0, LONGEST_TEXT).trim();
  const evm = EVM.exec(given)?.[1];
  if (evm) return { hash: `0x${evm.toLowerCase()}`, family: 'evm' };
  const tron = TRON.exec(given)?.[1];
  if (tron) return { hash: tron.toLowerCase(), family: 'tron' };
  const solana = SOLANA.exec(given)?.[1];
  if (solana && isSignature(solana)) return { hash: solana, family: 'solana' };
  return { hash: null, looksLike: ADDRESSES.test(given) ? 'address' : null };
}

function isSignature(text: string): boolean {
  try {
    return base58.decode(text).length === SOLANA_BYTES;
  } catch (error) {
    // base58 throws for a letter outside its alphabet; the case-insensitive pattern lets such letters through.
    if (error instanceof Error) return false;
    throw error;
  }
}
