// The mails about a payout address: to every member who may manage payout addresses, and to those who could until recently, because a thief
// of one owner's account can remove all others first. To the operators when the store has no such member.

import { networkFacts } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { queueMail } from '@/lib/merchants/mail/queue';
import { MEMBER_ROLES, PERMISSIONS } from '@/lib/merchants/members/roles';
import type { MemberRole } from '@/prisma/generated/enums';

/** More than the owners of any store. The bound keeps the transaction short. */
const MAX_MAILED = 50;

/** The target of an audit entry is any text that the web process wrote. */
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** How long a former owner is still mailed. */
const FORMER_MILLISECONDS = 7 * 86_400_000;

const may: readonly MemberRole[] = PERMISSIONS['payouts.manage'].members;
/** The roles of members who are mailed about payouts. */
export const WHO_MAY_MANAGE = MEMBER_ROLES.filter((role) => may.includes(role));

export type MailedAddress = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
};

export type AddressMail =
  | {
      readonly kind: 'PayoutAddress';
      readonly payAfter: Date;
      readonly isSigned: boolean;
      /** The user who added it. */
      readonly creatorId: string;
      readonly token: string;
    }
  | {
      readonly kind: 'PayoutAddressStopped';
      /** The user who stopped it; null for the link in the mail. */
      readonly actorId: string | null;
    };

/** Queues the mails. Returns how many. */
export async function mailOwners(
  tx: Tx,
  context: Pick<Context, 'config'>,
  of: MailedAddress,
  mail: AddressMail & { readonly now: Date },
): Promise<number> {
  const { now } = mail;
  const { PUBLIC_URL } = context.config;
  const people = await listReaders(tx, of.storeId, now);
  const person = await emailOf(tx, mail.kind === 'PayoutAddress' ? mail.creatorId : mail.actorId);
  const page = `${PUBLIC_URL}/dashboard/${of.storeId}/${of.environment}/payouts`;
  for (const { email, locale, store } of people) {
    const about = { store, environment: of.environment, network: of.network, address: shown(of), page };
    const to = { to: email, locale, now };
    if (mail.kind === 'PayoutAddress') {
      const link = `${PUBLIC_URL}/payout-addresses/stop/${mail.token}`;
      const proof = mail.isSigned ? 'yes' : 'no';
      const values = { ...about, creator: person ?? '—', time: asText(mail.payAfter), proof, link } as const;
      await queueMail(tx, context, { ...to, kind: 'PayoutAddress', values });
    } else {
      const values = { ...about, by: mail.actorId === null ? 'link' : 'person', actor: person ?? '—' } as const;
      await queueMail(tx, context, { ...to, kind: 'PayoutAddressStopped', values });
    }
  }
  return people.length;
}

/**
 * The index audit_entries_member_changes has the entries about former owners. Those who lost the role first come first: otherwise a thief
 * could displace them by adding and removing accounts.
 */
async function listReaders(tx: Tx, storeId: string, now: Date) {
  const { rows } = await tx.query<{ email: string; locale: string | null; store: string }>({
    name: 'payout-address-owners',
    text: `WITH owners AS (
             SELECT u.email, u.locale FROM members m JOIN users u ON u.id = m.user_id
             WHERE m.store_id = $1 AND m.role::text = ANY ($2) AND u.disabled_at IS NULL
             ORDER BY m.created_at, m.user_id LIMIT ${MAX_MAILED}),
           former_ids AS MATERIALIZED (
             SELECT CASE WHEN target ~ '${UUID}' THEN target::uuid END AS id FROM audit_entries
             WHERE store_id = $1 AND at > $3 AND action IN ('member.remove', 'member.role') AND details->>'from' = ANY ($2)
             GROUP BY 1 ORDER BY min(number) LIMIT ${MAX_MAILED}),
           former AS (
             SELECT u.email, u.locale FROM former_ids f JOIN users u ON u.id = f.id
             WHERE u.disabled_at IS NULL AND u.email NOT IN (SELECT email FROM owners)),
           operators AS (
             SELECT email, locale FROM users WHERE role = 'operator' AND disabled_at IS NULL
               AND NOT EXISTS (SELECT FROM owners) ORDER BY created_at, id LIMIT ${MAX_MAILED})
           SELECT p.email, p.locale, s.name AS store
           FROM (SELECT * FROM owners UNION ALL SELECT * FROM former UNION ALL SELECT * FROM operators) AS p JOIN stores s ON s.id = $1`,
    values: [storeId, WHO_MAY_MANAGE, new Date(now.getTime() - FORMER_MILLISECONDS)],
  });
  return rows;
}

/** Null for a user that does not exist: the web process wrote the id. */
async function emailOf(tx: Tx, userId: string | null): Promise<string | null> {
  const { rows } = await tx.query<{ email: string }>({
    name: 'payout-address-person',
    text: 'SELECT email FROM users WHERE id = $1',
    values: [userId],
  });
  return rows[0]?.email ?? null;
}

/** As wallets show it. */
function shown({ network, address }: MailedAddress): string {
  const facts = networkFacts(network);
  return facts ? displayAddress(facts.family, address) : address;
}

/** `2026-11-29 13:20:07 UTC`. */
const asText = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
