// Queued mails: rows that the causing transaction writes and the worker sends. Their text is sealed, because most of it is a
// link that opens an account. It is deleted after sending.

import { openSecret, sealSecret } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { mailText, type MailKind, type MailValues } from './texts';

export type NewMail<Kind extends MailKind = MailKind> = {
  readonly to: string;
  readonly kind: Kind;
  readonly values: MailValues[Kind];
  /** The reader's language. Falls back to English when unsupported. */
  readonly locale: string | null;
  readonly now: Date;
};

/** Sent last: merchants and their servers cause them, or there are as many as owners of stores, and a password reset must not wait behind them. */
const LAST: ReadonlySet<MailKind> = new Set([
  ...(['Invite', 'InviteUnnamed', 'PaymentException', 'EventUndelivered', 'PayoutRate'] as const),
]);
const LAST_RANK = 1;
/** Sent after all others, because any customer can cause them. */
export const CUSTOMER_RANK = 2;

/** Queues a mail. It is sent only if the transaction commits. */
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
  /** A validated address. */
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly now: Date;
};

/** Queues a mail to a customer, which is sent after all others. Its address is deleted after sending. */
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

/** The text of a queued mail; empty after sending. */
export const mailBody = ({ config }: Pick<Context, 'config'>, row: { recipient: string; body: string }): string =>
  row.body === '' ? '' : openSecret(config.MASTER_KEYS, Buffer.from(row.body, 'base64'), mailPurpose(row.recipient));

export const mailPurpose = (recipient: string): string => `mail:${recipient}`;
