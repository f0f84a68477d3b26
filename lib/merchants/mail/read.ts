// The mails of a sandbox, for the page that shows them. Sandbox users have no mailboxes.

import type { Context } from '@/lib/platform/context';
import { prismaOn } from '@/lib/platform/database/prisma';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { mailBody } from './queue';

export type ShownMail = {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly createdAt: Date;
};

/** Whether mails are shown: only in a sandbox on this machine. */
export const areMailsShown = ({ config }: Pick<Context, 'config'>): boolean => isOwnSandbox(config);

/** The latest mails, the newest first. */
export async function listMails({ pool }: Pick<Context, 'pool'>, limit: number): Promise<ShownMail[]> {
  const mails = await (await prismaOn(pool)).mail.findMany({ select: SHOWN, orderBy: { id: 'desc' }, take: limit });
  return mails.map((mail) => ({ ...mail, id: `${mail.id}` }));
}

/** The id of the newest mail to an address; null when there is none. */
export async function newestMailTo({ pool }: Pick<Context, 'pool'>, address: string): Promise<string | null> {
  // PostgreSQL takes no NUL.
  if (/\p{Cc}/u.test(address)) return null;
  const where = { recipient: address.toLowerCase() };
  const mail = await (await prismaOn(pool)).mail.findFirst({ where, select: { id: true }, orderBy: { id: 'desc' } });
  return mail && `${mail.id}`;
}

/** One mail with its text; null when there is none. */
export async function readMail(
  context: Pick<Context, 'pool' | 'config'>,
  id: string,
): Promise<(ShownMail & { readonly text: string }) | null> {
  if (!/^\d{1,15}$/.test(id)) return null;
  const prisma = await prismaOn(context.pool);
  const mail = await prisma.mail.findUnique({
    where: { id: BigInt(id) },
    select: { ...SHOWN, body: true },
  });
  return mail && { ...mail, id: `${mail.id}`, text: mailBody(context, mail) };
}

const SHOWN = { id: true, recipient: true, subject: true, createdAt: true } as const;
