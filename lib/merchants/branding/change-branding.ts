// Changes that owners make to a store's branding. Each change and its audit entry are one transaction.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { auditStore, type Actor } from '@/lib/merchants/stores/actor';
import { markIdentityChanged } from '@/lib/merchants/stores/identity';
import { setStoreLogoIn } from './logo';
import { readStoreBranding, setStoreBrandingIn, type StoreBranding } from './branding';

type Deps = Pick<Context, 'pool' | 'clock'>;

/**
 * Sets everything but the logo (`setStoreBranding`). The log names the changed fields, with old and new values of those that
 * customers know the store by. Without a change nothing is logged. Throws INVALID_PARAMETER, also for removing the contact of a
 * live store.
 */
export const changeBranding = (
  { pool, clock }: Deps,
  { storeId, wish }: { readonly storeId: string; readonly wish: unknown },
  actor: Actor,
): Promise<StoreBranding> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const isLive = await lockStore(tx, storeId);
    const before = await readStoreBranding(tx, storeId);
    const branding = await setStoreBrandingIn(tx, { storeId, wish, now });
    if (isLive && before.supportContact !== null && branding.supportContact === null) throw contactNeeded();
    const fields = FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(branding[field]));
    if (fields.length === 0) return branding;
    const known = KNOWN_BY.filter(([field]) => fields.includes(field));
    if (known.length > 0) await recordIdentityChange(tx, storeId, now);
    const values = known.flatMap(([field, name]) => [
      [`former_${name}`, before[field] ?? ''],
      [name, branding[field] ?? ''],
    ]);
    const details = { fields, ...Object.fromEntries(values) };
    await auditStore(tx, actor, { storeId, action: 'look.change', target: storeId, details, now });
    return branding;
  });

/** Sets the logo, or removes it when `bytes` is null. Throws INVALID_PARAMETER. */
export const changeLogo = (
  { pool, clock }: Deps,
  { storeId, bytes }: { readonly storeId: string; readonly bytes: Uint8Array | null },
  actor: Actor,
): Promise<{ readonly hash: string } | null> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    await lockStore(tx, storeId);
    const before = await readStoreBranding(tx, storeId);
    const logo = await setStoreLogoIn(tx, { storeId, bytes, now });
    if (before.logo?.hash === logo?.hash) return logo;
    const action = logo ? 'logo.change' : 'logo.remove';
    await recordIdentityChange(tx, storeId, now);
    const details = { hash: (logo ?? before.logo)?.hash ?? '' };
    await auditStore(tx, actor, { storeId, action, target: storeId, details, now });
    return logo;
  });

const FIELDS = [
  'displayName',
  'brandColor',
  'theme',
  'supportContact',
  'embedOrigins',
] as const satisfies readonly (keyof StoreBranding)[];

/**
 * Fields by which customers recognise the store or that lead them somewhere, with their names in the log. Colours are not among
 * them.
 */
const KNOWN_BY = [
  ['displayName', 'display_name'],
  ['supportContact', 'support_contact'],
  ['embedOrigins', 'embed_origins'],
] as const satisfies readonly (readonly [keyof StoreBranding, string])[];

/** Increments the version, so that no operator decides about branding that they were not shown. */
async function recordIdentityChange(tx: Tx, storeId: string, now: Date): Promise<void> {
  await (await prismaOn(tx)).store.updateMany({ where: { id: storeId }, data: { version: { increment: 1 } } });
  await markIdentityChanged(tx, storeId, now);
}

/** Serializes concurrent changes, so that the log records what really changed. Returns whether the store is live. */
async function lockStore(tx: Tx, storeId: string): Promise<boolean> {
  const { rows } = await tx.query<{ is_live: boolean }>(
    `SELECT status IN ('approved', 'suspended') AS is_live FROM stores WHERE id = $1 FOR NO KEY UPDATE`,
    [storeId],
  );
  return rows[0]?.is_live === true;
}

const contactNeeded = (): ServiceError =>
  new ServiceError('INVALID_PARAMETER', {
    param: 'support_contact',
    message: 'A live store needs a contact, so that its customers can contact it. Replace it instead of removing it.',
  });
