// A node that serves as much of the real Ethereum as its proof needs: its chain id, its first block and its tokens.

import { networkSpec } from '@/lib/networks/networks';
import { startFakeNode, type FakeNode } from './fake-evm-node';

/** Starts it with a newest block of the time `now`, in milliseconds. */
export async function startLiveNode(now: number): Promise<FakeNode> {
  const spec = networkSpec('live', 'ethereum', 'public');
  if (!spec?.genesis) throw new Error('there is no live Ethereum');
  const decimals = Object.fromEntries(Object.values(spec.tokens).map((token) => [token.contract, token.decimals]));
  const node = await startFakeNode({ chainId: spec.chainId ?? 0, decimals, time: Math.trunc(now / 1000) });
  const [first] = node.blocks;
  if (first) first.hash = spec.genesis;
  return node;
}
