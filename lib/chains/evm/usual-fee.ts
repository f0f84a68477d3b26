// What a token transfer to a new address costs on an EVM network: its gas at the price that the node asks.

import type { EvmNode } from './node';
import { askedPrice } from './send-fees';

/** Of a transfer of USDT to an address that holds none yet (chains.md 3.1). */
const USUAL_GAS = 63_000n;

/** Wei. Throws a ChainError. */
export const readEvmFee = async (node: EvmNode, network: string): Promise<bigint> =>
  USUAL_GAS * (await askedPrice(node, network));
