// What its owners change about how a store looks to customers: each change and its entry in the audit log are one transaction.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { auditStore, type Actor } from '@/lib/merchants/stores/actor';
import { markIdentityChanged } from '@/lib/merchants/stores/identity';
import { setStoreLogoIn } from './logo';
import { readStoreLook, setStoreLookIn, type StoreLook } from './look';

type Deps = Pick<Context, 'pool' | 'clock'>;

/**
 * Sets everything but the logo (`setStoreLook`). The log names the fields that changed, and of those that customers know
 * the store by what they were and are; nothing is logged where nothing changed. Throws INVALID_PARAMETER, also for a contact that is
 * taken from a store that is live.
 */
export const changeLook = (
  { pool, clock }: Deps,
  { storeId, wish }: { readonly storeId: string; readonly wish: unknown },
  actor: Actor,
): Promise<StoreLook> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const isLive = await lockStore(tx, storeId);
    const before = await readStoreLook(tx, storeId);
    const look = await setStoreLookIn(tx, { storeId, wish, now });
    if (isLive && before.supportContact !== null && look.supportContact === null) throw contactNeeded();
    const fields = FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(look[field]));
    if (fields.length === 0) return look;
    const known = KNOWN_BY.filter(([field]) => fields.includes(field));
    if (known.length > 0) await becomeAnother(tx, storeId, now);
    const values = known.flatMap(([field, name]) => [
      [`former_${name}`, before[field] ?? ''],
      [name, look[field] ?? ''],
    ]);
    const details = { fields, ...Object.fromEntries(values) };
    await auditStore(tx, actor, { storeId, action: 'look.change', target: storeId, details, now });
    return look;
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
    const before = await readStoreLook(tx, storeId);
    const logo = await setStoreLogoIn(tx, { storeId, bytes, now });
    if (before.logo?.hash === logo?.hash) return logo;
    const action = logo ? 'logo.change' : 'logo.remove';
    await becomeAnother(tx, storeId, now);
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
] as const satisfies readonly (keyof StoreLook)[];

/** What customers know the store by or are led by, with its name in the log. The colours of a page make it no other store. */
const KNOWN_BY = [
  ['displayName', 'display_name'],
  ['supportContact', 'support_contact'],
  ['embedOrigins', 'embed_origins'],
] as const satisfies readonly (readonly [keyof StoreLook, string])[];

/** Another version, so that no operator decides about a look that they were not shown (hardening D-27). */
async function becomeAnother(tx: Tx, storeId: string, now: Date): Promise<void> {
  await tx.query('UPDATE stores SET version = version + 1 WHERE id = $1', [storeId]);
  await markIdentityChanged(tx, storeId, now);
}

/** Changes at the same moment see each other, so that the log tells what really changed. Answers whether the store is live. */
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
    message: 'A live store needs a contact, so that its customers reach somebody. Replace it instead of removing it.',
  });
