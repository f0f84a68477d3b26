// What the families of networks do differently when money is paid out or compared with the ledger: one object for each. Separate from
// the registry, which opens the watching adapters.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { BalanceOptions, BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import type { EvmSpec, NetworkSpec } from '@/lib/networks/networks';
import type { SendingOptions } from '@/lib/networks/registry';
import type { SafeSending } from '@/lib/networks/sending/safe';
import { openEvmBalances } from './evm/reading/balances';
import { openEvmSendNodes } from './evm/sending/nodes';
import { openEvmSender } from './evm/sending/send';
import { readEvmFee } from './evm/sending/usual-fee';
import { openSolanaBalances } from './solana/reading/balances';
import { openSolanaSendNodes } from './solana/sending/nodes';
import { openSolanaSender } from './solana/sending/send';
import { readSolanaFee } from './solana/sending/usual-fee';
import { openTronBalances } from './tron/reading/balances';
import { openTronSendNodes } from './tron/sending/nodes';
import { openTronSender } from './tron/sending/send';
import { readTronFee } from './tron/sending/usual-fee';

type FamilyClients = {
  readonly openSender: (options: SendingOptions) => SafeSending;
  readonly openBalances: (options: SendingOptions & BalanceOptions) => BalanceReader;
  /** The fee of a transfer by every endpoint that answers, at least one. */
  readonly openFees: (options: SendingOptions) => () => Promise<bigint[]>;
};

const CLIENTS: Readonly<Record<NetworkFamily, FamilyClients>> = {
  evm: {
    openSender: openEvmSender,
    openBalances: openEvmBalances,
    openFees: (options) => {
      const endpoints = openEvmSendNodes(options);
      return () => endpoints.all((node) => readEvmFee(node, evmSpec(options.spec)));
    },
  },
  tron: {
    openSender: openTronSender,
    openBalances: openTronBalances,
    openFees: (options) => {
      const endpoints = openTronSendNodes(options);
      return () => endpoints.all(readTronFee);
    },
  },
  solana: {
    openSender: openSolanaSender,
    openBalances: openSolanaBalances,
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
