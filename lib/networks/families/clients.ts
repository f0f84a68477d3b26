// What the families of networks do differently when money is paid out or compared with the ledger: one object for each. Separate from
// the registry, which opens the watching adapters.

import { ChainError, type NetworkFamily } from '@/lib/networks/chain';
import type { BalanceOptions, BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import type { EvmSpec, NetworkSpec } from '@/lib/networks/networks';
import type { SendingOptions } from '@/lib/networks/registry';
import type { SafeSending } from '@/lib/networks/sending/safe';
import { openEvmBalances } from './evm/reading/balances';
import { isListed as isListedOnEvm } from './evm/sending/obstacles';
import { openEvmSendNodes } from './evm/sending/nodes';
import { openEvmSender } from './evm/sending/send';
import { readEvmFee } from './evm/sending/usual-fee';
import { openSolanaBalances } from './solana/reading/balances';
import { isAccountFrozen } from './solana/sending/obstacles';
import { openSolanaSendNodes } from './solana/sending/nodes';
import { openSolanaSender } from './solana/sending/send';
import { readSolanaFee } from './solana/sending/usual-fee';
import { openTronBalances } from './tron/reading/balances';
import { isListed as isListedOnTron } from './tron/sending/obstacles';
import { openTronSendNodes } from './tron/sending/nodes';
import { openTronSender } from './tron/sending/send';
import { readTronFee } from './tron/sending/usual-fee';

type BlockVotes = {
  readonly needed: number;
  readonly votes: (contract: string, address: string) => Promise<readonly boolean[]>;
};

type FamilyClients = {
  readonly openSender: (options: SendingOptions) => SafeSending;
  readonly openBalances: (options: SendingOptions & BalanceOptions) => BalanceReader;
  /** Whether the issuer of a token blocks an address, by every endpoint that answers. */
  readonly openBlocks: (options: SendingOptions) => BlockVotes;
  /** The fee of a transfer by every endpoint that answers, at least one. */
  readonly openFees: (options: SendingOptions) => () => Promise<bigint[]>;
};

const CLIENTS: Readonly<Record<NetworkFamily, FamilyClients>> = {
  evm: {
    openSender: openEvmSender,
    openBalances: openEvmBalances,
    openBlocks: (options) => {
      const endpoints = openEvmSendNodes(options);
      const votes: BlockVotes['votes'] = (contract, address) =>
        endpoints.all((node) => isListedOnEvm(node, contract, address));
      return { needed: endpoints.needed, votes };
    },
    openFees: (options) => {
      const endpoints = openEvmSendNodes(options);
      return () => endpoints.all((node) => readEvmFee(node, evmSpec(options.spec)));
    },
  },
  tron: {
    openSender: openTronSender,
    openBalances: openTronBalances,
    openBlocks: (options) => {
      const endpoints = openTronSendNodes(options);
      const votes: BlockVotes['votes'] = (contract, address) =>
        endpoints.all((node) => isListedOnTron(node, contract, address));
      return { needed: endpoints.needed, votes };
    },
    openFees: (options) => {
      const endpoints = openTronSendNodes(options);
      return () => endpoints.all(readTronFee);
    },
  },
  solana: {
    openSender: openSolanaSender,
    openBalances: openSolanaBalances,
    openBlocks: (options) => {
      const endpoints = openSolanaSendNodes(options);
      const votes: BlockVotes['votes'] = (contract, address) =>
        endpoints.all((node) => isAccountFrozen(node, contract, address));
      return { needed: endpoints.needed, votes };
    },
    openFees: (options) => {
      const endpoints = openSolanaSendNodes(options);
      return () => endpoints.all(readSolanaFee);
    },
  },
};

/** Opens the sender of a network. Throws an Error for an unusable endpoint URL. */
export const openSender = (options: SendingOptions): SafeSending => CLIENTS[options.spec.family].openSender(options);

/** Opens the reader of token balances of a network. Throws an Error for an unusable endpoint URL. */
export const openBalanceReader = (options: SendingOptions & BalanceOptions): BalanceReader =>
  CLIENTS[options.spec.family].openBalances(options);

/** Whether the issuer of a token, named by its contract or mint, blocks an address. Throws a ChainError. */
export type IssuerBlocks = (contract: string, address: string) => Promise<boolean>;

/** Opens the reader of issuers' blocks of a network. Either answer needs as many endpoints as a final payment. */
export function openIssuerBlocks(options: SendingOptions): IssuerBlocks {
  const { needed, votes } = CLIENTS[options.spec.family].openBlocks(options);
  return async (contract, address) => {
    const answers = await votes(contract, address);
    const blocked = answers.filter(Boolean).length;
    if (blocked >= needed) return true;
    if (answers.length - blocked >= needed) return false;
    throw new ChainError('unavailable', 'too few endpoints report the same about a block by the issuer');
  };
}

/**
 * Opens the reader of the current fee of a token transfer to a new address, for display only: the wei, sun or lamports that at least
 * half of the endpoints consider enough. It throws a ChainError when no endpoint answers; opening throws an Error for an unusable
 * endpoint URL.
 */
export function openUsualFee(options: SendingOptions): () => Promise<bigint> {
  const readFees = CLIENTS[options.spec.family].openFees(options);
  return async () => median(await readFees());
}

/** The lower one of an even number, so that one wrong endpoint cannot show an excessive fee. */
const median = (fees: readonly bigint[]): bigint =>
  fees.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((fees.length - 1) / 2)] as bigint;

function evmSpec(spec: NetworkSpec): EvmSpec {
  if (spec.family !== 'evm') throw new Error(`${spec.network} is not an EVM network`);
  return spec;
}
