// The priority fee that a transaction offers: what recent transactions on the same accounts paid.

import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { prioritizationFees } from './shapes';

/** Micro-lamports per unit. At 60,000 units the most is 0.00012 SOL. */
const [LEAST_PRICE, MAX_PRICE] = [1000n, 2_000_000n];
/** The bid exceeds all recent prices except the highest quarter. */
const QUANTILE = 0.75;

/** Micro-lamports per compute unit that covered most recent transactions on these accounts. */
export async function offeredPrice(node: SolanaNode, accounts: readonly string[]): Promise<bigint> {
  const call = { method: 'getRecentPrioritizationFees', params: [accounts], shape: prioritizationFees };
  const fees = (await node.rpc.call(call)).map(({ prioritizationFee }) => prioritizationFee).toSorted((a, b) => a - b);
  const usual = BigInt(fees[Math.floor(fees.length * QUANTILE)] ?? 0);
  return usual < LEAST_PRICE ? LEAST_PRICE : usual > MAX_PRICE ? MAX_PRICE : usual;
}
