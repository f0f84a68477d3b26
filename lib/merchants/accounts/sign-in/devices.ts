// The devices on which a user is signed in, for their list and its buttons.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { auditAccount } from '@/lib/merchants/accounts/account-audit';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import { voidPendingChanges } from '@/lib/merchants/accounts/links';
import { ABSOLUTE_SECONDS, endLogins, IDLE_SECONDS, type Who } from './logins';

export type Device = {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly isCurrent: boolean;
};

/** The devices with an active login, the last used first. */
export async function listDevices({ pool, clock }: Context, who: Who): Promise<Device[]> {
  const now = clock.now().getTime();
  const prisma = await prismaOn(pool);
  const logins = await prisma.login.findMany({
    where: {
      userId: who.userId,
      endedAt: null,
      lastSeenAt: { gt: new Date(now - IDLE_SECONDS * 1000) },
      createdAt: { gt: new Date(now - ABSOLUTE_SECONDS * 1000) },
    },
    select: { id: true, userAgent: true, address: true, createdAt: true, lastSeenAt: true },
    orderBy: [{ lastSeenAt: 'desc' }, { id: 'asc' }],
  });
  return logins.map((row) => ({ ...row, isCurrent: row.id === who.loginId }));
}

/**
 * Signs one device out, or all others when none is named. Voids links that those devices may have requested. Throws NOT_FOUND.
 */
export async function endDevices(
  context: Context,
  who: Who,
  given: { id: string | null; from: RequestSource },
): Promise<void> {
  const now = context.clock.now();
  const { id, from } = given;
  await transaction(context.pool, async (tx) => {
    await voidPendingChanges(tx, { userId: who.userId, now });
    const which = id === null ? { except: who.loginId } : { only: id };
    const ended = await endLogins(tx, { userId: who.userId, ...which, now });
    if (id !== null && ended === 0) throw new ServiceError('NOT_FOUND', { message: 'There is no such device.' });
    const details = { ended };
    await auditAccount(tx, { userId: who.userId, action: 'sign_out_device', details, address: from.address, now });
  });
}

/** Changes a user's own name and language. */
export async function changeProfile(
  { pool }: Context,
  who: Who,
  to: { name?: string | undefined; locale?: string | undefined },
): Promise<void> {
  const name = to.name === undefined ? {} : { name: to.name };
  const locale = to.locale === undefined ? {} : { locale: to.locale };
  await (await prismaOn(pool)).user.updateMany({ where: { id: who.userId }, data: { ...name, ...locale } });
}
