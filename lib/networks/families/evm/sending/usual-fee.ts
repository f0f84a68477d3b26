// The fee of a token transfer to a new address on an EVM network: its gas at the node's current price.

import { ChainError } from '@/lib/networks/chain';
import type { EvmSpec } from '@/lib/networks/networks';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { readDataFee, requestedGasPrice } from './fees';

/** Wei per gas: ten thousand gwei. A node with a higher price is broken, or the network is unusable at present. */
const MAX_PRICE = 10n ** 13n;

/** Wei. Throws a ChainError. */
export async function readEvmFee(node: EvmNode, spec: EvmSpec): Promise<bigint> {
  const price = await requestedGasPrice(node, spec);
  if (price > MAX_PRICE) throw new ChainError('unavailable', `${node.name} reports an absurd gas price`);
  return spec.transferGas * price + (await readDataFee(node, spec));
}
