// Which mails about a store a member gets: their own choice, or the default of their role.

import type { Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { MemberRole } from '@/prisma/generated/enums';
import { MEMBER_ROLES, PERMISSIONS, type Permission } from '@/lib/merchants/members/roles';

const MAIL_CHOICES = ['exceptions', 'deliveries', 'decisions'] as const;
export type MailChoice = (typeof MAIL_CHOICES)[number];
export type MailChoices = Readonly<Record<MailChoice, boolean>>;

const rolesThatMay = (permission: Permission): readonly MemberRole[] => {
  const allowed: readonly MemberRole[] = PERMISSIONS[permission].members;
  return MEMBER_ROLES.filter((role) => allowed.includes(role));
};

/** `allowed`: roles that may read the subject of the mail, whatever they chose. `standard`: roles that get it by default. */
const ROLES: Readonly<Record<MailChoice, { allowed: readonly MemberRole[]; standard: readonly MemberRole[] }>> = {
  exceptions: { allowed: rolesThatMay('payments.read'), standard: rolesThatMay('cases.decide') },
  deliveries: { allowed: rolesThatMay('webhook.read'), standard: rolesThatMay('webhook.change') },
  decisions: { allowed: rolesThatMay('store.read'), standard: ['owner'] },
};

/** The mails that this role can choose: those about data that it may read. */
export const choicesOf = (role: MemberRole): readonly MailChoice[] =>
  MAIL_CHOICES.filter((choice) => ROLES[choice].allowed.includes(role));

type Of = { readonly storeId: string; readonly userId: string };

/** Null for a user who is not a member. */
export async function readMailChoices(db: Db, { storeId, userId }: Of): Promise<MailChoices | null> {
  const prisma = await prismaOn(db);
  const row = await prisma.member.findUnique({
    where: { storeId_userId: { storeId, userId } },
    select: { role: true, mailExceptions: true, mailDeliveries: true, mailDecisions: true },
  });
  if (!row) return null;
  const { role, mailExceptions: exceptions, mailDeliveries: deliveries, mailDecisions: decisions } = row;
  const chosen = { exceptions, deliveries, decisions };
  const isOn = (choice: MailChoice): boolean =>
    ROLES[choice].allowed.includes(role) && (chosen[choice] ?? ROLES[choice].standard.includes(role));
  return { exceptions: isOn('exceptions'), deliveries: isOn('deliveries'), decisions: isOn('decisions') };
}

/** Throws NOT_FOUND for a user who is not a member: an operator gets no mails of a store. */
export async function chooseMails(db: Db, { storeId, userId, choices }: Of & { choices: MailChoices }): Promise<void> {
  const { exceptions: mailExceptions, deliveries: mailDeliveries, decisions: mailDecisions } = choices;
  const prisma = await prismaOn(db);
  const { count } = await prisma.member.updateMany({
    where: { storeId, userId },
    data: { mailExceptions, mailDeliveries, mailDecisions },
  });
  if (count !== 1) throw new ServiceError('NOT_FOUND', { message: 'You are no member of this store.' });
}

/** More members than a store gives access to its payments. It bounds the mails of one transaction. */
const MAX_MEMBERS = 50;

export type Reader = { readonly email: string; readonly locale: string | null; readonly store: string };

/** The members of a store who get these mails and can sign in. */
export async function readersOf(
  db: Db,
  storeId: string,
  choice: Exclude<MailChoice, 'decisions'>,
): Promise<readonly Reader[]> {
  const { rows } = await db.query<Reader>({
    name: 'notice-readers',
    text: `SELECT u.email, u.locale, s.name AS store
           FROM members m JOIN users u ON u.id = m.user_id JOIN stores s ON s.id = m.store_id
           WHERE m.store_id = $1 AND u.disabled_at IS NULL AND m.role::text = ANY ($2)
             AND coalesce(CASE $4 WHEN 'exceptions' THEN m.mail_exceptions ELSE m.mail_deliveries END, m.role::text = ANY ($3))
           ORDER BY m.created_at, m.user_id LIMIT ${MAX_MEMBERS}`,
    values: [storeId, ROLES[choice].allowed, ROLES[choice].standard, choice],
  });
  return rows;
}
