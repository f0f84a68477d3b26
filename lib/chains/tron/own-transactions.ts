// When the refund wallet last signed a transaction on TRON. An account stores the time of its newest transaction: java-tron sets
// it to the time of the block before (BandwidthProcessor.java and ResourceProcessor.java, latestOperationTime).

import { z } from 'zod';
import { ChainError } from '../chain';
import type { OwnTransaction, OwnTransactionQuery } from '../send';
import { requestAddress } from './address';
import { readBlock, type TronNode } from './node';

/** The misspelling is java-tron's. Left out for an account that never signed anything. */
const account = z.object({ latest_opration_time: z.number().int().nonnegative().default(0) });

/** The newest transaction, when it is after `landedIn` and `since`; else none. Reads the newest state, final or not. */
export async function tronUnknown(
  node: TronNode,
  from: string,
  { since, landedIn }: OwnTransactionQuery,
): Promise<readonly OwnTransaction[]> {
  const call = { side: 'wallet', api: 'getaccount', body: { address: requestAddress(from) }, shape: account } as const;
  const { latest_opration_time: newest } = await node.client.ask(call);
  const time = Math.floor(newest / 1000);
  if (newest === 0 || time < since) return [];
  if (landedIn !== null) {
    const before = await readBlock(node, 'wallet', Math.max(0, landedIn - 1));
    if (!before) throw new ChainError('unavailable', `${node.name} lacks block ${landedIn - 1}`);
    if (time <= before.time) return [];
  }
  return [{ hash: null, time }];
}
