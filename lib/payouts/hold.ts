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

/** Payments that were credited after it cannot be paid out yet; null without a hold. */
export const heldSince = ({ hours, now }: Pick<HoldScope, 'hours' | 'now'>): Date | null =>
  hours === 0 ? null : new Date(now.getTime() - hours * HOUR_MILLISECONDS);

/** Base units of a token that cannot be paid out yet. */
export async function heldOf(db: Db, scope: HoldScope, asset: Omit<AssetAmount, 'amount'>): Promise<bigint> {
  const { storeId, environment } = scope;
  const since = heldSince(scope);
  if (since === null) return 0n;
  return (await readHeld(db, { storeId, environment, since })).find((one) => isSameAsset(one, asset))?.amount ?? 0n;
}
