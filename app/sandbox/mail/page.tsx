// The mails that a sandbox does not send, because its users have no mailbox. With `to`, the newest mail to that address opens.
// This page exists only in a sandbox.

import Link from 'next/link';
import { notFound, redirect } from 'next/navigation';
import { services } from '@/lib/api/services';
import type { Parameters } from '@/lib/dashboard/lists/filters';
import { unixSeconds } from '@/lib/platform/clock';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { areMailsShown, listMails, newestMailTo } from '@/lib/merchants/mail/read';

export const dynamic = 'force-dynamic';

const SHOWN = 200;

type Props = { readonly searchParams: Promise<Parameters> };

export default async function SandboxMails({ searchParams }: Props) {
  const context = services();
  if (!areMailsShown(context)) notFound();
  const { to } = await searchParams;
  const newest = typeof to === 'string' ? await newestMailTo(context, to) : null;
  if (newest !== null) redirect(`/sandbox/mail/${newest}`);
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
