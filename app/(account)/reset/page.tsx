// A forgotten password: requests the address, or, opened by the mail's link, the new password.

import { AccountCard } from '@/components/dashboard/account/frame';
import { NewPasswordForm } from '@/components/dashboard/account/link-forms';
import { ResetRequestForm } from '@/components/dashboard/account/open-forms';
import { Link } from '@/components/ui/link';
import { services } from '@/lib/api/services';
import { SHORTEST_PASSWORD } from '@/lib/merchants/accounts/password/password';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { linkToken, type LinkParams } from '@/app/(account)/link-token';

export const generateMetadata = titled('authResetTitle');

export default async function ResetPage({ searchParams }: { searchParams: LinkParams }) {
  const { t } = await getDashboardWords();
  const token = await linkToken(searchParams, 'reset');
  if (token !== null) {
    return (
      <AccountCard title={t('authNewPasswordTitle')}>
        <NewPasswordForm token={token} shortest={SHORTEST_PASSWORD} />
      </AccountCard>
    );
  }
  const isTooLate = (await searchParams).token !== undefined;
  return (
    <AccountCard
      title={t(isTooLate ? 'authLinkInvalidTitle' : 'authResetTitle')}
      text={t(isTooLate ? 'fault_link_invalid' : 'authResetText')}
      after={
        <Link href="/login" className="font-semibold">
          {t('authSignIn')}
        </Link>
      }
    >
      <ResetRequestForm isSandbox={services().config.SANDBOX_ORIGIN !== undefined} />
    </AccountCard>
  );
}
