// The oldest block that a Solana node keeps. Lists of transactions start there too, so what the node does not list before it proves
// nothing.

import { ChainError } from '@/lib/networks/chain';
import { nullWithoutBlock, type SolanaNode } from '@/lib/networks/families/solana/node';
import { oldBlock, slot as slotShape } from '@/lib/networks/families/solana/shapes';

/** The node keeps deleting old blocks, and slots are skipped: its first block may be some slots after the one that it names. */
const SLOTS_SEARCHED_AHEAD = 16;

/** `time` is Unix seconds. The oldest blocks of the chain have no height. */
type OldestBlock = { readonly time: number; readonly height: number | null };

/** Null if the node keeps all blocks. The block may be a slightly later one than the oldest, which proves less. Throws a ChainError. */
export async function readOldestBlock(node: SolanaNode): Promise<OldestBlock | null> {
  const first = await node.rpc.call({ method: 'getFirstAvailableBlock', params: [], shape: slotShape });
  if (first === 0) return null;
  const options = {
    commitment: 'finalized',
    transactionDetails: 'none',
    rewards: false,
    maxSupportedTransactionVersion: 0,
  };
  for (let slot = first; slot < first + SLOTS_SEARCHED_AHEAD; slot++) {
    const block = await node.rpc
      .call({ method: 'getBlock', params: [slot, options], shape: oldBlock })
      .catch(nullWithoutBlock);
    if (block && block.blockTime !== null) return { time: block.blockTime, height: block.blockHeight ?? null };
  }
  throw new ChainError('unavailable', `${node.name} has no block from slot ${first}, which it names as its first`);
}
