// A merchant's new store, of channel type API (spec: What the service does). It waits for the operator's approval; nothing that
// the merchant sends can set its status.

import type { Context } from '@/lib/context';
import { newStoreId } from '@/lib/ids';
import type { Stablecoin } from '@/lib/money';
import { checkText, checkWebsite } from './fields';

export type NewStore = {
  readonly ownerId: string;
  readonly name: string;
  readonly website?: string;
  /** Token that other currencies are converted to; USDT unless given. */
  readonly settlementCurrency?: Stablecoin;
  /** Whether the supported token that was not asked for counts at par. */
  readonly acceptsOtherToken?: boolean;
};

const LONGEST_NAME = 100;

/** Creates the store as pending. Throws INVALID_PARAMETER for a name or website that cannot be used. */
export async function createStore(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  store: NewStore,
): Promise<{ id: string }> {
  const id = newStoreId();
  const name = checkText('name', store.name, LONGEST_NAME);
  const website = store.website === undefined ? null : checkWebsite('website', store.website);
  await pool.query(
    `INSERT INTO stores (id, owner_id, name, website, settlement_currency, accepts_other_token, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id,
      store.ownerId,
      name,
      website,
      store.settlementCurrency ?? 'USDT',
      store.acceptsOtherToken ?? false,
      clock.now(),
    ],
  );
  return { id };
}
