// The current fee of a token transfer to a new address, shown to customers who choose a network. For display only: the senders
// decide what a refund may cost. Separate from the registry, which opens the watching adapters.

import { readEvmFee } from '@/lib/networks/families/evm/sending/usual-fee';
import { openEvmSendNodes } from '@/lib/networks/families/evm/sending/nodes';
import type { SendingOptions } from '@/lib/networks/registry';
import { readSolanaFee } from '@/lib/networks/families/solana/sending/usual-fee';
import { openSolanaSendNodes } from '@/lib/networks/families/solana/sending/nodes';
import { readTronFee } from '@/lib/networks/families/tron/sending/usual-fee';
import { openTronSendNodes } from '@/lib/networks/families/tron/sending/nodes';

/**
 * Opens the reader of a network's fee: the wei, sun or lamports that at least half of the endpoints consider enough. Throws a
 * ChainError when no endpoint answers, and an Error for an unusable endpoint URL.
 */
export function openUsualFee(options: SendingOptions): () => Promise<bigint> {
  const readFees = openFeeReaders(options);
  return async () => middle(await readFees());
}

/** The fees of all endpoints that answered, at least one. */
function openFeeReaders(options: SendingOptions): () => Promise<bigint[]> {
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

/** The median (the lower one of an even number), so that one wrong endpoint cannot show an excessive fee. */
const middle = (fees: readonly bigint[]): bigint =>
  fees.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((fees.length - 1) / 2)] as bigint;
