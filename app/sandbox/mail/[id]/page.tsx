// One mail of a sandbox, with its links to click on.

import Link from 'next/link';
import { notFound } from 'next/navigation';
import { services } from '@/lib/api/services';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { areMailsShown, readMail } from '@/lib/mail/read';

export const dynamic = 'force-dynamic';

type Props = { readonly params: Promise<{ id: string }> };

export default async function SandboxMail({ params }: Props) {
  const context = services();
  if (!areMailsShown(context)) notFound();
  const [{ t }, mail] = await Promise.all([getDashboardWords(), params.then(({ id }) => readMail(context, id))]);
  if (!mail) notFound();
  return (
    <main>
      <p>
        <Link href="/sandbox/mail">{t('mailBoxAll')}</Link>
      </p>
      <h1>{mail.subject}</h1>
      <p className="muted">{`${t('mailBoxTo')}: ${mail.recipient}`}</p>
      {mail.text.split('\n').map((line, n) => {
        const isLink = line.startsWith(`${context.config.PUBLIC_URL}/`);
        return line === '' ? null : <p key={n}>{isLink ? <a href={line}>{line}</a> : line}</p>;
      })}
    </main>
  );
}
