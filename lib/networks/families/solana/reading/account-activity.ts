// Whether an account was used since its cursor: one request, without reading a transaction.

import type { AccountState } from './accounts';
import type { Commitment, SolanaNode } from '@/lib/networks/families/solana/node';
import * as shapes from '@/lib/networks/families/solana/shapes';

/** Whether any transaction mentions the account since its cursor, whatever its balance is now. */
export async function hasActivity(node: SolanaNode, state: AccountState, commitment: Commitment): Promise<boolean> {
  return (await countNewest(node, state, { commitment, limit: 1 })) > 0;
}

/** How many transactions mention an account since its cursor, counted by one request: at most `limit`. */
export async function countNewest(
  node: SolanaNode,
  { watched: { account, cursor } }: AccountState,
  { commitment, limit }: { readonly commitment: Commitment; readonly limit: number },
): Promise<number> {
  const since = cursor?.signature ?? null;
  const options = { ...(since === null ? {} : { until: since }), limit, commitment };
  const call = { method: 'getSignaturesForAddress', params: [account, options], shape: shapes.signatures };
  return (await node.rpc.call(call)).length;
}
