// What a token transfer to a new address costs on Solana: the rent of the token account that it makes, and its signature. What
// wallets add to be quicker is far below either.

import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { SIGNATURE_FEE } from './draft';
import { TOKEN_ACCOUNT_SIZE } from './obstacles';
import { lamports } from './shapes';

/** Lamports. Throws a ChainError. */
export async function readSolanaFee(node: SolanaNode): Promise<bigint> {
  const call = { method: 'getMinimumBalanceForRentExemption', params: [TOKEN_ACCOUNT_SIZE], shape: lamports };
  return BigInt(await node.rpc.call(call)) + SIGNATURE_FEE;
}
