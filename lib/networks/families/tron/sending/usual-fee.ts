// What a token transfer to a new address costs on TRON from a wallet that has staked nothing: its energy and its bandwidth at the
// prices that the network's votes have set.

import type { TronNode } from '@/lib/networks/families/tron/node';
import { readPrices } from './costs';

/** Of a transfer of USDT to an address that holds none yet, and the bytes of its transaction (chains.md 3.2). */
const [USUAL_ENERGY, USUAL_BYTES] = [130_285n, 345n];

/** Sun. Throws a ChainError. */
export async function readTronFee(node: TronNode): Promise<bigint> {
  const { energy, bandwidth } = await readPrices(node);
  return USUAL_ENERGY * energy + USUAL_BYTES * bandwidth;
}
