// Creates a merchant's store of a channel type. It waits for the operator's approval, and no request of the merchant can set
// its status. The creator is its first owner.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newStoreId } from '@/lib/platform/ids';
import type { Stablecoin } from '@/lib/money/amounts';
import { auditStore, SYSTEM, type Actor } from './actor';
import { checkStoreName, checkText, checkWebsite } from './fields';
import { setStoreBrandingIn } from '@/lib/merchants/branding/branding';

/** How a store's payments are created. */
export const CHANNEL_TYPES = ['api'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

export type NewStore = {
  readonly ownerId: string;
  readonly name: string;
  /** Defaults to API. */
  readonly channelType?: ChannelType | undefined;
  readonly website?: string | undefined;
  /** What the store sells, as the merchant describes it. */
  readonly description?: string | undefined;
  /** Where customers find help: an e-mail or https address. Stored with the store's branding. */
  readonly supportContact?: string | undefined;
  /** Token that other currencies are converted to. Defaults to USDT. */
  readonly settlementCurrency?: Stablecoin | undefined;
  /** Tokens that a session in USD offers. Defaults to both. */
  readonly usdCurrencies?: readonly Stablecoin[] | undefined;
  /** Networks that its sessions offer. Defaults to all. */
  readonly networks?: readonly string[] | undefined;
  /** Whether a payment in the other supported token counts at par. */
  readonly acceptsOtherToken?: boolean | undefined;
};

export const LONGEST_NAME = 100;
export const LONGEST_DESCRIPTION = 1000;
/** More than a merchant needs. The limit keeps one account from filling the operator's queue. */
const MAX_STORES = 50;

/** Creates the store as pending. Throws INVALID_PARAMETER for an invalid field or too many stores. */
export async function createStore(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  store: NewStore,
  actor: Actor = SYSTEM,
): Promise<{ id: string }> {
  const id = newStoreId();
  const name = checkStoreName('name', store.name, LONGEST_NAME);
  const website = store.website === undefined ? null : checkWebsite('website', store.website);
  const description =
    store.description === undefined ? null : checkText('description', store.description, LONGEST_DESCRIPTION);
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rows: owners } = await tx.query<{ role: string }>(
      'SELECT role::text AS role FROM users WHERE id = $1 FOR UPDATE',
      [store.ownerId],
    );
    if (owners[0]?.role === 'operator')
      throw new ServiceError('permission_denied', { message: 'An operator owns no store. Use another account.' });
    const { rows } = await tx.query<{ stores: number }>(
      'SELECT count(*)::int AS stores FROM stores WHERE owner_id = $1',
      [store.ownerId],
    );
    if ((rows[0]?.stores ?? 0) >= MAX_STORES)
      throw new ServiceError('INVALID_PARAMETER', { message: `An account has at most ${MAX_STORES} stores.` });
    await tx.query(
      `INSERT INTO stores (id, owner_id, name, website, description, settlement_currency, usd_currencies,
                           networks, accepts_other_token, created_at, channel_type)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        id,
        store.ownerId,
        name,
        website,
        description,
        store.settlementCurrency ?? 'USDT',
        store.usdCurrencies ?? ['USDT', 'USDC'],
        store.networks ?? [],
        store.acceptsOtherToken ?? false,
        now,
        store.channelType ?? 'api',
      ],
    );
    await tx.query(`INSERT INTO members (store_id, user_id, role, created_at) VALUES ($1, $2, 'owner', $3)`, [
      id,
      store.ownerId,
      now,
    ]);
    const { supportContact } = store;
    if (supportContact !== undefined) await setStoreBrandingIn(tx, { storeId: id, wish: { supportContact }, now });
    await auditStore(tx, actor, { storeId: id, action: 'store.create', target: id, details: { name }, now });
  });
  return { id };
}
