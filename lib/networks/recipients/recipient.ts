// An address that a person typed, for a payment to it on one network: read, checked and written as this service stores
// addresses. Pure; what the chain itself says of an address is asked elsewhere (ChainSender.kindOf). Every refusal has a code,
// so that each page can say it in its language.

import type { NetworkFamily } from '@/lib/networks/chain';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { looksLikeEvm, readEvmRecipient } from './evm';
import type { FamilyRecipient, RecipientFault } from './fault';
import { looksLikeSolana, readSolanaRecipient } from './solana';
import { looksLikeTron, readTronRecipient } from './tron';

export type RecipientRefusal =
  | { readonly code: RecipientFault }
  /** An address, but of another kind of network: a TRON address for a payment on Ethereum. */
  | { readonly code: 'other_network'; readonly looksLike: NetworkFamily };

export type ReadRecipient = { readonly address: string } | { readonly refused: RecipientRefusal };

type Family = { readonly looksLike: (text: string) => boolean; readonly read: (text: string) => FamilyRecipient };

const FAMILIES: Readonly<Record<NetworkFamily, Family>> = {
  evm: { looksLike: looksLikeEvm, read: readEvmRecipient },
  tron: { looksLike: looksLikeTron, read: readTronRecipient },
  solana: { looksLike: looksLikeSolana, read: readSolanaRecipient },
};
/** Longer text is no address, and is not looked at. */
const LONGEST = 100;

/** Token contracts of every network, main and test: nobody gets coins back that are sent to one. */
const TOKEN_CONTRACTS: ReadonlySet<string> = new Set(
  NETWORKS.flatMap(({ tokens }) => Object.values(tokens).map(({ contract }) => contract)),
);

/** The address as it is stored (EVM in lower case), or why it cannot be paid. White space around it is no fault. */
export function readRecipient(spec: Pick<NetworkSpec, 'family'>, typed: string): ReadRecipient {
  if (typed.length > LONGEST) return { refused: { code: 'malformed' } };
  const text = typed.trim();
  const looksLike = (Object.keys(FAMILIES) as NetworkFamily[]).find((family) => FAMILIES[family].looksLike(text));
  if (looksLike === undefined) return { refused: { code: 'malformed' } };
  if (looksLike !== spec.family) return { refused: { code: 'other_network', looksLike } };
  if (TOKEN_CONTRACTS.has(looksLike === 'evm' ? text.toLowerCase() : text)) {
    return { refused: { code: 'token_contract' } };
  }
  const read = FAMILIES[looksLike].read(text);
  return 'fault' in read ? { refused: { code: read.fault } } : read;
}
