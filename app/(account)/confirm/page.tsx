// The confirmation of an e-mail address, opened by the mail's link.

import { AccountCard } from '@/components/dashboard/account/frame';
import { ConfirmForm } from '@/components/dashboard/account/link-forms';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { SHORTEST_PASSWORD } from '@/lib/merchants/accounts/password/password';
import { linkToken, type LinkParams } from '@/app/(account)/link-token';
import { LinkInvalid } from '@/app/(account)/link-invalid';

export const generateMetadata = titled('authConfirmTitle');

export default async function ConfirmPage({ searchParams }: { searchParams: LinkParams }) {
  const { t } = await getDashboardWords();
  const token = await linkToken(searchParams, 'confirm');
  if (token === null) return <LinkInvalid />;
  return (
    <AccountCard title={t('authConfirmTitle')} text={t('authConfirmText')}>
      <ConfirmForm token={token} shortest={SHORTEST_PASSWORD} />
    </AccountCard>
  );
}
