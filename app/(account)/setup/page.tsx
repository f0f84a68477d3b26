// The first operator of an installation, by the link that the server printed at its first start.

import { AccountCard } from '@/components/dashboard/account/frame';
import { SetupForm } from '@/components/dashboard/account/link-forms';
import { SHORTEST_PASSWORD } from '@/lib/merchants/accounts/password/password';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { LinkInvalid } from '@/app/(account)/link-invalid';
import { linkToken, type LinkParams } from '@/app/(account)/link-token';

export const generateMetadata = titled('authSetupTitle');

export default async function SetupPage({ searchParams }: { searchParams: LinkParams }) {
  const { t } = await getDashboardWords();
  const token = await linkToken(searchParams, 'setup');
  if (token === null) return <LinkInvalid />;
  return (
    <AccountCard title={t('authSetupTitle')} text={t('authSetupText')}>
      <SetupForm token={token} shortest={SHORTEST_PASSWORD} />
    </AccountCard>
  );
}
