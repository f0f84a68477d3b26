// What a token transfer to a new address costs on an EVM network: its gas at the price that the node asks.

import { ChainError } from '@/lib/networks/chain';
import type { EvmSpec } from '@/lib/networks/networks';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { requestedGasPrice } from './fees';

/** Of a transfer of USDT to an address that holds none yet (chains.md 3.1). */
const USUAL_GAS = 63_000n;

/** Wei per gas: ten thousand gwei. A node that asks for more is broken, or nobody pays there now. */
const MOST_PRICE = 10n ** 13n;

/** Wei. Throws a ChainError. */
export async function readEvmFee(node: EvmNode, spec: EvmSpec): Promise<bigint> {
  const price = await requestedGasPrice(node, spec);
  if (price > MOST_PRICE) throw new ChainError('unavailable', `${node.name} asks a price that nobody would pay`);
  return USUAL_GAS * price;
}
