// The fee of a token transfer to a new address on TRON, from a wallet without stakes: energy and bandwidth at the governance
// prices.

import type { TronNode } from '@/lib/networks/families/tron/node';
import { readPrices } from './costs';

/** A transfer of USDT to an address that holds none yet, and the size of its transaction. */
const [USUAL_ENERGY, USUAL_BYTES] = [130_285n, 345n];

/** Sun. Throws a ChainError. */
export async function readTronFee(node: TronNode): Promise<bigint> {
  const { energy, bandwidth } = await readPrices(node);
  return USUAL_ENERGY * energy + USUAL_BYTES * bandwidth;
}
