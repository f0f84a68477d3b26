// Writes the ledger entry of a cold transfer, once, in the transaction that completes it.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { postEntry } from './post-entry';
import { coldPostings, type AssetAmount } from './postings';

export const postColdTransfer = (
  tx: Tx,
  {
    intentId,
    environment,
    moved,
  }: { readonly intentId: string; readonly environment: Environment; readonly moved: AssetAmount },
): Promise<void> =>
  postEntry(tx, 'cold_transfer', { environment, storeId: null, sessionId: null, intentId }, coldPostings(moved));
