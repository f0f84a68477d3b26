// The mail about a member who became an owner of a store or lost that role. Without it an owner could remove all others and pay out the money
// of the store before they notice.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { queueMail } from '@/lib/merchants/mail/queue';
import { userIdOf } from '@/lib/merchants/stores/actor';
import { listOwners, type Owner } from '@/lib/merchants/stores/owners';

type Change = {
  readonly storeId: string;
  /** The member. */
  readonly userId: string;
  readonly is: 'owner' | 'no_owner';
  /** Who made the change, as in the audit log. */
  readonly by: string;
  /** The owners before it. */
  readonly before: readonly Owner[];
  readonly now: Date;
};

/** Mails the owners before and after the change, in its transaction. */
export async function notifyOfOwnersChange(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { storeId, userId, is, by, before, now }: Change,
): Promise<void> {
  const people = new Map([...before, ...(await listOwners(tx, storeId))].map((one) => [one.email, one]));
  const [member, actor] = await emailsOf(tx, [userId, userIdOf({ by })]);
  const link = `${config.PUBLIC_URL}/dashboard/${storeId}/members`;
  for (const { email, locale, name: store } of people.values()) {
    const values = { link, store, is, member, actor };
    await queueMail(tx, { config }, { to: email, kind: 'OwnersChanged', values, locale, now });
  }
}

async function emailsOf(tx: Tx, [member, actor]: readonly [string, string | null]): Promise<readonly [string, string]> {
  const prisma = await prismaOn(tx);
  const ids = actor === null ? [member] : [member, actor];
  const users = await prisma.user.findMany({ where: { id: { in: ids } }, select: { id: true, email: true } });
  const emailOf = (id: string | null): string => users.find((one) => one.id === id)?.email ?? '—';
  return [emailOf(member), emailOf(actor)];
}
