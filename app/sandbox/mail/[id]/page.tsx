// One mail of a sandbox, with clickable links.

import Link from 'next/link';
import { notFound } from 'next/navigation';
import { services } from '@/lib/api/services';
import { unixSeconds } from '@/lib/platform/clock';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { areMailsShown, readMail } from '@/lib/merchants/mail/read';

export const dynamic = 'force-dynamic';

type Props = { readonly params: Promise<{ id: string }> };

/** Only links to this installation are clickable, because a stranger may have written the text. */
const ADDRESS = /(https?:\/\/\S*[^\s.,;:)])/;

export default async function SandboxMail({ params }: Props) {
  const context = services();
  if (!areMailsShown(context)) notFound();
  const [{ t, format }, mail] = await Promise.all([
    getDashboardWords(),
    params.then(({ id }) => readMail(context, id)),
  ]);
  if (!mail) notFound();
  return (
    <main className="mailbox">
      <title>{mail.subject}</title>
      <p>
        <Link href="/sandbox/mail">{t('mailBoxAll')}</Link>
      </p>
      <article className="mailbox-mail">
        <h1>{mail.subject}</h1>
        <p className="mailbox-facts muted">
          <span>{`${t('mailBoxTo')}: ${mail.recipient}`}</span>
          <time dateTime={mail.createdAt.toISOString()}>{format.second(unixSeconds(mail.createdAt))}</time>
        </p>
        <div className="mailbox-text">
          {mail.text.split(ADDRESS).map((part, n) =>
            part.startsWith(`${context.config.PUBLIC_URL}/`) ? (
              <a key={n} href={part}>
                {part}
              </a>
            ) : (
              part
            ),
          )}
        </div>
      </article>
    </main>
  );
}
