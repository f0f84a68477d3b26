// The mails about live keys: a person created or rolled one, or set another signature version, or lost the role under which they
// created it. A key moves money, so every owner learns of it at once.

import type { Context } from '@/lib/context';
import type { Tx } from '@/lib/db';
import type { Environment } from '@/lib/ids';
import { queueMail } from '@/lib/mail/queue';
import { userIdOf, type Doer } from './doer';
import { listOwners } from './owners';

type KeyNews = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly name: string;
  /** `KeyCreated` also for a key that was rolled. */
  readonly kind: 'KeyCreated' | 'KeyRequiresV2' | 'KeyAllowsV1';
  readonly doer: Doer;
  readonly now: Date;
};

/** Key names in one mail. The page that the mail links to lists all keys with their creators. */
const MOST_NAMED = 20;

/** Sends nothing for a test key, or for one that the service itself made. */
export async function tellOfKey(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { storeId, environment, name, kind, doer, now }: KeyNews,
): Promise<void> {
  const userId = userIdOf(doer);
  if (environment !== 'live' || userId === null) return;
  const { rows } = await tx.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [userId]);
  const creator = rows[0]?.email ?? '—';
  const link = `${config.PUBLIC_URL}/dashboard/${storeId}/live/keys`;
  for (const { email, locale, name: store } of await listOwners(tx, storeId)) {
    const values = { link, store, key: name, creator };
    await queueMail(tx, { config }, { to: email, kind, values, locale, now });
  }
}

type FormerMember = { readonly storeId: string; readonly userId: string; readonly now: Date };

/**
 * Tells the owners which live keys outlive the role of the member who created them. Nothing is revoked: that would stop the shop.
 * Returns the ids of these keys.
 */
export async function tellOfKeptKeys(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { storeId, userId, now }: FormerMember,
): Promise<readonly number[]> {
  const { rows } = await tx.query<{ id: number; name: string; email: string }>(
    `SELECT k.id, k.name, u.email FROM api_keys k JOIN users u ON u.id = k.created_by
     WHERE k.store_id = $1 AND k.created_by = $2 AND k.environment = 'live' AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > $3) ORDER BY k.name, k.id`,
    [storeId, userId, now],
  );
  const [first] = rows;
  if (!first) return [];
  const named = rows.slice(0, MOST_NAMED).map(({ name }) => `“${name}”`);
  if (rows.length > MOST_NAMED) named.push('…');
  const link = `${config.PUBLIC_URL}/dashboard/${storeId}/live/keys`;
  for (const { email, locale, name: store } of await listOwners(tx, storeId)) {
    const values = { link, store, keys: named.join(', '), member: first.email };
    await queueMail(tx, { config }, { to: email, kind: 'KeysKept', values, locale, now });
  }
  return rows.map(({ id }) => id);
}
