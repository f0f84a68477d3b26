// Mails that are to be sent: rows, written in the transaction that made them true and sent by the worker. Their text is sealed,
// because most of it is a link that opens an account, and it is thrown away once it was sent.

import { openSecret, sealSecret } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { mailText, type MailKind, type MailValues } from './texts';

export type NewMail<Kind extends MailKind = MailKind> = {
  readonly to: string;
  readonly kind: Kind;
  readonly values: MailValues[Kind];
  /** The reader's language; English when it is none of ours. */
  readonly locale: string | null;
  readonly now: Date;
};

/** These go out last: merchants and their servers cause them, and nobody's new password waits behind them. */
const LAST: ReadonlySet<MailKind> = new Set(['Invite', 'InviteUnnamed', 'PaymentException', 'EventUndelivered']);
const LAST_RANK = 1;
/** These after all others: anybody who paid causes them. */
export const CUSTOMER_RANK = 2;

/** Queues a mail. It goes out when the transaction commits, and not otherwise. */
export async function queueMail<Kind extends MailKind>(
  db: Db,
  { config }: Pick<Context, 'config'>,
  mail: NewMail<Kind>,
): Promise<void> {
  const { to, now } = mail;
  const rank = LAST.has(mail.kind) ? LAST_RANK : 0;
  await queue(db, config, { to, now, rank, ...mailText(mail.kind, mail.values, mail.locale) });
}

export type CustomerMail = {
  /** A checked address. */
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly now: Date;
};

/** Queues a mail to a customer, which goes out after all others. Once it was sent, its address is forgotten. */
export const queueCustomerMail = (db: Db, { config }: Pick<Context, 'config'>, mail: CustomerMail): Promise<void> =>
  queue(db, config, { ...mail, subject: mail.subject.replaceAll(/\s+/g, ' '), rank: CUSTOMER_RANK });

async function queue(db: Db, config: Context['config'], mail: CustomerMail & { readonly rank: number }): Promise<void> {
  const body = sealSecret(config.MASTER_KEYS, mail.body, mailPurpose(mail.to)).toString('base64');
  await db.query({
    name: 'queue-mail',
    text: 'INSERT INTO mails (recipient, subject, body, rank, created_at, next_at) VALUES ($1, $2, $3, $4, $5, $5)',
    values: [mail.to, mail.subject, body, mail.rank, mail.now],
  });
}

/** The text of a queued mail; empty once it was sent. */
export const mailBody = ({ config }: Pick<Context, 'config'>, row: { recipient: string; body: string }): string =>
  row.body === '' ? '' : openSecret(config.MASTER_KEYS, Buffer.from(row.body, 'base64'), mailPurpose(row.recipient));

const mailPurpose = (recipient: string): string => `mail:${recipient}`;
