// The mails that a sandbox does not send, because its users have no mailbox. This page exists only in a sandbox.

import Link from 'next/link';
import { notFound } from 'next/navigation';
import { services } from '@/lib/api/services';
import { unixSeconds } from '@/lib/platform/clock';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { areMailsShown, listMails } from '@/lib/merchants/mail/read';

export const dynamic = 'force-dynamic';

const SHOWN = 200;

export default async function SandboxMails() {
  const context = services();
  if (!areMailsShown(context)) notFound();
  const [{ t, format }, mails] = await Promise.all([getDashboardWords(), listMails(context, SHOWN)]);
  return (
    <main className="mailbox">
      <title>{t('mailBoxTitle')}</title>
      <p className="product">{t('productName')}</p>
      <h1>{t('mailBoxTitle')}</h1>
      {mails.length === 0 ? (
        <p className="mailbox-empty">{t('mailBoxEmpty')}</p>
      ) : (
        <ul className="mailbox-list">
          {mails.map((mail) => (
            <li key={mail.id}>
              <Link href={`/sandbox/mail/${mail.id}`} prefetch={false}>
                {mail.subject}
              </Link>
              <p className="muted">
                <span>{mail.recipient}</span>
                <time dateTime={mail.createdAt.toISOString()}>{format.second(unixSeconds(mail.createdAt))}</time>
              </p>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}
