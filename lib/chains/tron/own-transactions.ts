// When the refund wallet last signed a transaction on TRON. An account stores the time of its newest transaction: java-tron sets
// it to the time of the block before (BandwidthProcessor.java and ResourceProcessor.java, latestOperationTime).

import { z } from 'zod';
import { ChainError } from '../chain';
import type { OwnTransaction, OwnTransactionQuery } from '../send';
import { requestAddress } from './address';
import { readHead, type TronNode } from './node';
import type { NetworkSpec } from '../networks';

/** The misspelling is java-tron's. Left out for an account that never signed anything. */
const account = z.object({ latest_opration_time: z.number().int().nonnegative().default(0) });

/** The newest transaction when it is not before `since`; else none. Reads the newest state, final or not. */
export async function tronUnknown(
  node: TronNode,
  spec: NetworkSpec,
  from: string,
  { since }: OwnTransactionQuery,
): Promise<readonly OwnTransaction[]> {
  const call = { side: 'wallet', api: 'getaccount', body: { address: requestAddress(from) }, shape: account } as const;
  const { latest_opration_time: newest } = await node.client.ask(call);
  const time = Math.floor(newest / 1000);
  if (newest === 0 || time < since) return [];
  const { tip } = await readHead(node, spec);
  if (time <= tip.time) return [{ hash: null, time }];
  throw new ChainError('contradiction', `${node.name} dates a transaction of the refund wallet after its newest block`);
}
