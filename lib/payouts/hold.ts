// The hold of payouts: an operator can have the payments of a store wait before they are paid out. Refunds do not wait.

import { readHeld } from '@/lib/ledger/held';
import { isSameAsset, type AssetAmount } from '@/lib/ledger/postings';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

const HOUR_MILLISECONDS = 3_600_000;

export type HoldScope = {
  readonly storeId: string;
  readonly environment: Environment;
  /** Of the store; 0 without a hold. */
  readonly hours: number;
  readonly now: Date;
};

/** Base units by token and network that cannot be paid out yet. */
export async function heldAmounts(
  db: Db,
  { storeId, environment, hours, now }: HoldScope,
): Promise<readonly AssetAmount[]> {
  if (hours === 0) return [];
  return readHeld(db, { storeId, environment, since: new Date(now.getTime() - hours * HOUR_MILLISECONDS) });
}

/** The same for one token. */
export async function heldOf(db: Db, scope: HoldScope, asset: Omit<AssetAmount, 'amount'>): Promise<bigint> {
  return (await heldAmounts(db, scope)).find((one) => isSameAsset(one, asset))?.amount ?? 0n;
}
