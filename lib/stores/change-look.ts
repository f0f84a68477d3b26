// What its owners change about how a store looks to customers: each change and its entry in the audit log are one transaction.

import type { Context } from '@/lib/context';
import { transaction, type Tx } from '@/lib/db';
import { auditStore, type Doer } from './doer';
import { markIdentityChanged } from './identity';
import { setStoreLogoIn } from './logo';
import { readStoreLook, setStoreLookIn, type StoreLook } from './look';

type Deps = Pick<Context, 'pool' | 'clock'>;

/**
 * Sets everything but the logo (`setStoreLook`). The log names the fields that changed, and the pages that may show the hosted
 * page when they did; nothing is logged where nothing changed. Throws INVALID_PARAMETER.
 */
export const changeLook = (
  { pool, clock }: Deps,
  { storeId, wish }: { readonly storeId: string; readonly wish: unknown },
  doer: Doer,
): Promise<StoreLook> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    await lockStore(tx, storeId);
    const before = await readStoreLook(tx, storeId);
    const look = await setStoreLookIn(tx, { storeId, wish, now });
    const fields = FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(look[field]));
    if (fields.length === 0) return look;
    const origins = fields.includes('embedOrigins') ? { embedOrigins: look.embedOrigins } : {};
    const former = fields.includes('displayName') ? { former_display_name: before.displayName ?? '' } : {};
    if (fields.includes('displayName')) await markIdentityChanged(tx, storeId, now);
    const details = { fields, ...origins, ...former };
    await auditStore(tx, doer, { storeId, action: 'look.change', target: storeId, details, now });
    return look;
  });

/** Sets the logo, or removes it when `bytes` is null. Throws INVALID_PARAMETER. */
export const changeLogo = (
  { pool, clock }: Deps,
  { storeId, bytes }: { readonly storeId: string; readonly bytes: Uint8Array | null },
  doer: Doer,
): Promise<{ readonly hash: string } | null> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    await lockStore(tx, storeId);
    const before = await readStoreLook(tx, storeId);
    const logo = await setStoreLogoIn(tx, { storeId, bytes, now });
    if (before.logo?.hash === logo?.hash) return logo;
    const action = logo ? 'logo.change' : 'logo.remove';
    await markIdentityChanged(tx, storeId, now);
    const details = { hash: (logo ?? before.logo)?.hash ?? '' };
    await auditStore(tx, doer, { storeId, action, target: storeId, details, now });
    return logo;
  });

const FIELDS = [
  'displayName',
  'brandColor',
  'theme',
  'supportContact',
  'embedOrigins',
] as const satisfies readonly (keyof StoreLook)[];

/** Changes at the same moment see each other, so that the log tells what really changed. */
const lockStore = (tx: Tx, storeId: string): Promise<unknown> =>
  tx.query('SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE', [storeId]);
