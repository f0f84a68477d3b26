// The confirmation of a new e-mail address, opened by the mail that was sent there.

import { AccountCard } from '@/components/dashboard/account/frame';
import { ConfirmEmailForm } from '@/components/dashboard/account/link-forms';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { LinkInvalid } from '@/app/(account)/link-invalid';
import { linkToken, type LinkParams } from '@/app/(account)/link-token';

export const generateMetadata = titled('authEmailChangeTitle');

export default async function ConfirmEmailPage({ searchParams }: { searchParams: LinkParams }) {
  const { t } = await getDashboardWords();
  const token = await linkToken(searchParams, 'change_email');
  if (token === null) return <LinkInvalid />;
  return (
    <AccountCard title={t('authEmailChangeTitle')} text={t('authEmailChangeText')}>
      <ConfirmEmailForm token={token} />
    </AccountCard>
  );
}
