// When an account without a second factor may set up its first one, or change its e-mail address. A stolen password alone must
// not be enough for either. A merchant proves their mailbox by a mailed link. For an operator, the set-up link, another
// operator or the server's administrator opens an hour.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import type { Who } from '@/lib/merchants/accounts/sign-in/logins';

/** Long enough to find a phone, and short enough that a password stolen later is useless. */
const SETUP_MILLISECONDS = 3_600_000;

/** Until when a set-up that is allowed now may be completed. */
export const factorSetupUntil = (now: Date): Date => new Date(now.getTime() + SETUP_MILLISECONDS);

/** Throws FACTOR_SETUP_CLOSED or MAILBOX_PROOF_REQUIRED for an account without a second factor outside its hour. */
export async function needFactorSetup(context: Context, who: Who): Promise<void> {
  if (who.role !== 'operator') return needMailboxProof(context, who);
  if (!(await mayStrengthen(context, who))) throw new ServiceError('FACTOR_SETUP_CLOSED');
}

/**
 * Throws MAILBOX_PROOF_REQUIRED unless the account has a second factor or opened a mailed link in the last hour. An
 * installation without a mail server cannot require that proof.
 */
export async function needMailboxProof(context: Context, who: Who): Promise<void> {
  if (context.config.SMTP_URL === undefined || (await mayStrengthen(context, who))) return;
  throw new ServiceError('MAILBOX_PROOF_REQUIRED');
}

async function mayStrengthen({ pool, clock, config }: Context, who: Who): Promise<boolean> {
  if (who.hasTotp || who.hasPasskeys || isOwnSandbox(config)) return true;
  const where = { id: who.userId, factorSetupUntil: { gt: clock.now() } };
  return (await (await prismaOn(pool)).user.count({ where })) === 1;
}

/** Records that the user opened a mailed link. It opens nothing for an operator, whose mailbox is not enough. */
export async function noteMailboxProof(tx: Tx, userId: string, now: Date): Promise<void> {
  const data = { factorSetupUntil: factorSetupUntil(now) };
  await (await prismaOn(tx)).user.updateMany({ where: { id: userId, role: 'merchant' }, data });
}

/** Opens the hour for an operator without a second factor. False when there is no such operator. */
export async function openFactorSetup(tx: Tx, userId: string, now: Date): Promise<boolean> {
  const prisma = await prismaOn(tx);
  const { count } = await prisma.user.updateMany({
    where: { id: userId, role: 'operator', disabledAt: null, totpConfirmedAt: null, passkeys: { none: {} } },
    data: { factorSetupUntil: factorSetupUntil(now) },
  });
  return count === 1;
}
