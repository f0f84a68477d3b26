// The mail about live keys that outlive the role of the member who created them. The keys are not revoked, because that would
// stop the shop.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { queueMail } from '@/lib/merchants/mail/queue';

/** Key names in one mail. The linked page lists all keys with their creators. */
const MAX_NAMED = 20;

type FormerMember = { readonly storeId: string; readonly userId: string; readonly now: Date };

/** Mails the owners which working live keys a member created; the member knows their secrets. Returns the ids of these keys. */
export async function notifyOwnersOfKeptKeys(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { storeId, userId, now }: FormerMember,
): Promise<readonly number[]> {
  const { rows: keys } = await tx.query<{ id: number; name: string; email: string }>(
    `SELECT k.id, k.name, u.email FROM api_keys k JOIN users u ON u.id = k.created_by
     WHERE k.store_id = $1 AND k.created_by = $2 AND k.environment = 'live' AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > $3) ORDER BY k.name, k.id`,
    [storeId, userId, now],
  );
  const [first] = keys;
  if (!first) return [];
  const { rows: owners } = await tx.query<{ email: string; locale: string | null; store: string }>(
    `SELECT u.email, u.locale, s.name AS store
     FROM members m JOIN users u ON u.id = m.user_id JOIN stores s ON s.id = m.store_id
     WHERE m.store_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL`,
    [storeId],
  );
  const named = keys.slice(0, MAX_NAMED).map(({ name }) => `“${name}”`);
  if (keys.length > MAX_NAMED) named.push('…');
  const link = `${config.PUBLIC_URL}/dashboard/${storeId}/live/keys`;
  for (const { email, locale, store } of owners) {
    const values = { link, store, keys: named.join(', '), member: first.email };
    await queueMail(tx, { config }, { to: email, kind: 'KeysKept', values, locale, now });
  }
  return keys.map(({ id }) => id);
}
