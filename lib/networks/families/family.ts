// The differences between the network families in addresses, payment requests and wallets: one object per family. Code reads them here
// instead of branching on the family. The nodes and senders of a family are opened elsewhere, and the signer reads drafts by
// families/drafts.ts, which loads no chain SDK.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { NetworkSpec, Token } from '@/lib/networks/networks';
import { checksumAddress } from './evm/address';

type Requested = {
  readonly spec: NetworkSpec;
  readonly token: Token;
  /** The deposit address, as stored in the database. */
  readonly recipient: string;
  /** Base units of the token, and the same in whole tokens as decimal text. */
  readonly amount: bigint;
  readonly wholeAmount: string;
  /** Solana Pay only: the session's reference and the payee's label, encoded for a URL. */
  readonly solanaPayQuery: string;
};

export type Family = {
  /** The column of sessions and of the address pool that holds the family's deposit address. */
  readonly addressColumn: 'evm_address' | 'tron_address' | 'solana_address';
  /** An address as the database stores it. Other text is returned unchanged. */
  readonly storedAddress: (address: string) => string;
  /** A stored address as wallets and people write it; text that is not an address is returned unchanged. */
  readonly shownAddress: (address: string) => string;
  readonly paymentUri: (payment: Requested) => string;
  /** The chain in requests to a browser wallet. */
  readonly walletChain: (spec: Pick<NetworkSpec, 'chain' | 'chainId'>) => string;
};

const same = (text: string): string => text;
const hexChain = ({ chainId }: Pick<NetworkSpec, 'chainId'>): string => `0x${(chainId ?? 0).toString(16)}`;

const evm: Family = {
  addressColumn: 'evm_address',
  storedAddress: (address) => address.toLowerCase(),
  shownAddress: (address) => (/^0x[0-9a-f]{40}$/i.test(address) ? checksumAddress(address) : address),
  // EIP-681, amount in base units as plain digits.
  paymentUri: ({ spec, token, recipient, amount }) =>
    `ethereum:${checksumAddress(token.contract)}@${spec.chainId}/transfer?address=${checksumAddress(recipient)}&uint256=${amount}`,
  walletChain: hexChain,
};

const tron: Family = {
  addressColumn: 'tron_address',
  storedAddress: same,
  shownAddress: same,
  // TRON has no ratified payment URI.
  paymentUri: ({ recipient }) => recipient,
  walletChain: hexChain,
};

/** The names of its clusters in the Wallet Standard. */
const CLUSTERS = { mainnet: 'mainnet', testnet: 'devnet', local: 'localnet' } as const;

const solana: Family = {
  addressColumn: 'solana_address',
  storedAddress: same,
  shownAddress: same,
  // Solana Pay, amount in whole tokens.
  paymentUri: ({ recipient, wholeAmount, token, solanaPayQuery }) =>
    `solana:${recipient}?amount=${wholeAmount}&spl-token=${token.contract}${solanaPayQuery}`,
  walletChain: ({ chain }) => `solana:${CLUSTERS[chain]}`,
};

export const FAMILIES: Readonly<Record<NetworkFamily, Family>> = { evm, tron, solana };
