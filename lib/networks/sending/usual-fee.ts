// What a token transfer to a new address costs on a network at this moment, for people who choose where to pay. Only said, never
// decided by: what refunds may cost is the senders' to know. Kept apart from the registry, which opens what watches.

import { readEvmFee } from '@/lib/networks/families/evm/sending/usual-fee';
import { openEvmSendNodes } from '@/lib/networks/families/evm/sending/nodes';
import type { SendingOptions } from '@/lib/networks/registry';
import { readSolanaFee } from '@/lib/networks/families/solana/sending/usual-fee';
import { openSolanaSendNodes } from '@/lib/networks/families/solana/sending/nodes';
import { readTronFee } from '@/lib/networks/families/tron/sending/usual-fee';
import { openTronSendNodes } from '@/lib/networks/families/tron/sending/nodes';

/**
 * Opens the reader of a network's fee, which answers in wei, sun or lamports what at least half of the endpoints call enough, and
 * throws a ChainError when none answers. Throws an Error for an endpoint's address that cannot be used.
 */
export function openUsualFee(options: SendingOptions): () => Promise<bigint> {
  const ask = openAsking(options);
  return async () => middle(await ask());
}

/** What each endpoint that answered says, at least one. */
function openAsking(options: SendingOptions): () => Promise<bigint[]> {
  const { spec } = options;
  switch (spec.family) {
    case 'evm': {
      const endpoints = openEvmSendNodes(options);
      return () => endpoints.all((node) => readEvmFee(node, spec));
    }
    case 'tron': {
      const endpoints = openTronSendNodes(options);
      return () => endpoints.all(readTronFee);
    }
    case 'solana': {
      const endpoints = openSolanaSendNodes(options);
      return () => endpoints.all(readSolanaFee);
    }
    default:
      return spec satisfies never;
  }
}

/** The middle one, so that a single endpoint frightens nobody away; of an even number the lower. */
const middle = (fees: readonly bigint[]): bigint =>
  fees.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((fees.length - 1) / 2)] as bigint;
