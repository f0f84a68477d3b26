// The mail about a live key that a person created, rolled, or set to another signature version. A key moves money, so every
// owner is notified at once.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import type { Environment } from '@/lib/platform/ids';
import { queueMail } from '@/lib/merchants/mail/queue';
import { userIdOf, type Actor } from '@/lib/merchants/stores/actor';
import { listOwners } from '@/lib/merchants/stores/owners';

type KeyNews = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly name: string;
  /** `KeyCreated` is also sent for a rolled key. */
  readonly kind: 'KeyCreated' | 'KeyRequiresV2' | 'KeyAllowsV1';
  readonly actor: Actor;
  readonly now: Date;
};

/** Sends nothing for a test key, or for one that the service itself made. */
export async function notifyOwnersOfKey(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { storeId, environment, name, kind, actor, now }: KeyNews,
): Promise<void> {
  const userId = userIdOf(actor);
  if (environment !== 'live' || userId === null) return;
  const user = await (await prismaOn(tx)).user.findUnique({ where: { id: userId }, select: { email: true } });
  const creator = user?.email ?? '—';
  const link = `${config.PUBLIC_URL}/dashboard/${storeId}/live/keys`;
  for (const { email, locale, name: store } of await listOwners(tx, storeId)) {
    const values = { link, store, key: name, creator };
    await queueMail(tx, { config }, { to: email, kind, values, locale, now });
  }
}
