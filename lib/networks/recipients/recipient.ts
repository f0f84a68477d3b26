// Reads a typed address for one network, checks it and returns it in its stored form. Pure; ChainSender.kindOf reports
// what the chain knows about an address. Every refusal has a code, so that each page can translate it.

import type { NetworkFamily } from '@/lib/networks/chain';
import { FAMILIES } from '@/lib/networks/families/family';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { looksLikeEvm, readEvmRecipient } from './evm';
import type { FamilyRecipient, RecipientFault } from './fault';
import { looksLikeSolana, readSolanaRecipient } from './solana';
import { looksLikeTron, readTronRecipient } from './tron';

export type RecipientRefusal =
  | { readonly code: RecipientFault }
  /** A valid address of another network family, such as a TRON address for a payment on Ethereum. */
  | { readonly code: 'other_network'; readonly looksLike: NetworkFamily };

export type ReadRecipient = { readonly address: string } | { readonly refused: RecipientRefusal };

type Reader = { readonly looksLike: (text: string) => boolean; readonly read: (text: string) => FamilyRecipient };

const READERS: Readonly<Record<NetworkFamily, Reader>> = {
  evm: { looksLike: looksLikeEvm, read: readEvmRecipient },
  tron: { looksLike: looksLikeTron, read: readTronRecipient },
  solana: { looksLike: looksLikeSolana, read: readSolanaRecipient },
};
/** Longer text is not an address and is not parsed. */
const LONGEST = 100;

/** Token contracts of every network, main and test: coins sent to one are lost. */
const TOKEN_CONTRACTS: ReadonlySet<string> = new Set(
  NETWORKS.flatMap(({ tokens }) => Object.values(tokens).map(({ contract }) => contract)),
);

/** The address in its stored form (EVM in lower case), or why it cannot be paid. Surrounding white space is ignored. */
export function readRecipient(spec: Pick<NetworkSpec, 'family'>, typed: string): ReadRecipient {
  if (typed.length > LONGEST) return { refused: { code: 'malformed' } };
  const text = typed.trim();
  const looksLike = (Object.keys(READERS) as NetworkFamily[]).find((family) => READERS[family].looksLike(text));
  if (looksLike === undefined) return { refused: { code: 'malformed' } };
  if (looksLike !== spec.family) return { refused: { code: 'other_network', looksLike } };
  if (TOKEN_CONTRACTS.has(FAMILIES[looksLike].storedAddress(text))) {
    return { refused: { code: 'token_contract' } };
  }
  const read = READERS[looksLike].read(text);
  return 'fault' in read ? { refused: { code: read.fault } } : read;
}
