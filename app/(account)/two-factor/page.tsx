// The second step of signing in, for a login whose password was correct.

import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { AccountCard } from '@/components/dashboard/account/frame';
import { TwoFactorForm } from '@/components/dashboard/account/two-factor-form';
import { formToken } from '@/lib/merchants/accounts/sign-in/form-token';
import { services } from '@/lib/api/services';
import { pageVisitor } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('authTwoFactorTitle');

type Props = { readonly searchParams: Promise<{ error?: string | string[] }> };

export default async function TwoFactorPage({ searchParams }: Props) {
  const who = await pageVisitor();
  if (!who) redirect('/login');
  if (who.isComplete) redirect('/dashboard');
  const { error } = await searchParams;
  const { t } = await getDashboardWords();
  return (
    <AccountCard title={t('authTwoFactorTitle')} text={t('authTwoFactorText')}>
      <TwoFactorForm
        hasPasskeys={who.hasPasskeys}
        token={formToken(services().config, (await headers()).get('cookie'))}
        refusal={typeof error === 'string' ? error : null}
      />
    </AccountCard>
  );
}
