// The fee of a token transfer to a new address on Solana: the rent of the new token account, and one signature. Priority fees of
// wallets are far below either.

import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { SIGNATURE_FEE } from './read-draft';
import { TOKEN_ACCOUNT_SIZE } from './obstacles';
import { lamports } from './shapes';

/** Lamports. Throws a ChainError. */
export async function readSolanaFee(node: SolanaNode): Promise<bigint> {
  const call = { method: 'getMinimumBalanceForRentExemption', params: [TOKEN_ACCOUNT_SIZE], shape: lamports };
  return BigInt(await node.rpc.call(call)) + SIGNATURE_FEE;
}
