// A step of the worker: sends due mails by SMTP, one after the other, each under a lease. Mails of accounts come first, then
// invitations, then mails to customers. After a crash a mail may arrive twice, but it is never lost. A mail that cannot be
// processed is quarantined. Without SMTP settings mails stay queued, and the sandbox shows them.

import { createTransport } from 'nodemailer';
import type { Context } from '@/lib/platform/context';
import { eachAlone, isDueAlone } from '@/lib/platform/database/quarantine';
import { CUSTOMER_RANK, mailBody } from './queue';

/** Sends one mail. Throws when the server did not accept it. */
export type Transport = (mail: { from: string; to: string; subject: string; text: string }) => Promise<void>;

const MAX_AT_ONCE = 20;
/** Longer than the sum of a connection's timeouts. */
const LEASE_SECONDS = 120;
/** Seconds until a refused mail is retried. After the last retry it has failed. */
const SCHEDULE = [60, 300, 1800, 7200, 21_600, 43_200] as const;

const FIND = `SELECT id FROM mails m WHERE sent_at IS NULL AND failed_at IS NULL AND next_at <= $1
                AND ${isDueAlone('mail', 'm.id::text', '$1')}
              ORDER BY rank, next_at, id LIMIT ${MAX_AT_ONCE}`;
const CLAIM = `UPDATE mails SET attempts = attempts + 1, epoch = epoch + 1, next_at = $2
               WHERE id = $3 AND sent_at IS NULL AND failed_at IS NULL AND next_at <= $1
               RETURNING id, recipient, subject, body, attempts, epoch`;

type Claimed = { id: string; recipient: string; subject: string; body: string; attempts: number; epoch: number };

/** The step, with an injectable transport for tests. */
export const sendMails =
  (transport?: Transport) =>
  async (context: Context): Promise<{ more: boolean }> => {
    const { SMTP_URL, MAIL_FROM } = context.config;
    if (!transport && SMTP_URL === undefined) return { more: false };
    const send = transport ?? bySmtp(SMTP_URL ?? '');
    const from = MAIL_FROM ?? `no-reply@${new URL(context.config.PUBLIC_URL).hostname}`;
    const { rows } = await context.pool.query<{ id: string }>(FIND, [context.clock.now()]);
    const mails = rows.map(({ id }) => ({ kind: 'mail', id }) as const);
    await eachAlone(context, 'send mails', mails, async ({ id }) => {
      const mail = await claim(context, id);
      if (mail) await sendOne(context, send, mail, from);
    });
    return { more: mails.length === MAX_AT_ONCE };
  };

/** Null when another worker has the lease, or the mail was sent. */
async function claim({ pool, clock }: Context, id: string): Promise<Claimed | null> {
  const now = clock.now();
  const { rows } = await pool.query<Claimed>(CLAIM, [now, new Date(now.getTime() + LEASE_SECONDS * 1000), id]);
  return rows[0] ?? null;
}

async function sendOne(context: Context, send: Transport, mail: Claimed, from: string): Promise<void> {
  const { pool, clock, log } = context;
  const { id, recipient: to, subject, epoch } = mail;
  try {
    await send({ from, to, subject, text: mailBody(context, mail) });
  } catch (error) {
    const trouble = troubleOf(error);
    const now = clock.now();
    const wait = trouble.isFinal ? undefined : SCHEDULE[mail.attempts - 1];
    log.warn({ mail: id, trouble: trouble.text, attempts: mail.attempts }, 'a mail was not taken');
    await pool.query(
      'UPDATE mails SET trouble = $3, next_at = coalesce($4, next_at), failed_at = $5 WHERE id = $1 AND epoch = $2',
      [
        id,
        epoch,
        trouble.text,
        wait === undefined ? null : new Date(now.getTime() + wait * 1000),
        wait === undefined ? now : null,
      ],
    );
    return;
  }
  // The text was a secret and has been delivered. A customer’s address is no longer needed either.
  await pool.query(
    `UPDATE mails SET sent_at = $3, body = '', trouble = NULL,
       recipient = CASE WHEN rank = ${CUSTOMER_RANK} THEN '' ELSE recipient END
     WHERE id = $1 AND epoch = $2`,
    [id, epoch, clock.now()],
  );
}

/** The server's error as its code alone, because its text may hold addresses. 5xx is final. */
function troubleOf(error: unknown): { text: string; isFinal: boolean } {
  const { responseCode, code } = (error ?? {}) as { responseCode?: unknown; code?: unknown };
  if (typeof responseCode === 'number')
    return { text: `the mail server answered ${responseCode}`, isFinal: responseCode >= 500 };
  const kind = typeof code === 'string' && /^[A-Z_]{1,30}$/.test(code) ? code : 'no reason given';
  return { text: `the mail server could not be used (${kind})`, isFinal: false };
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/**
 * The address of a mail server that must offer TLS, so that links and passwords cannot be read in transit. Loopback is exempt,
 * and so is an address with `requireTLS=false`, such as a relay in a private network.
 */
export function withTls(address: string): string {
  const url = new URL(address);
  const isOpen = url.protocol === 'smtp:' && !LOOPBACK.test(url.hostname) && !url.searchParams.has('requireTLS');
  if (isOpen) url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/** Opens a connection for each mail: there are few mails, and a kept connection may be dead. */
const bySmtp =
  (url: string): Transport =>
  async (mail) => {
    const transport = createTransport(withTls(url), {
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
    } as object);
    try {
      await transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true });
    } finally {
      transport.close();
    }
  };
