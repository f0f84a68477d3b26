// Signing up as a merchant.

import { AccountCard } from '@/components/dashboard/account/frame';
import { SignUpForm } from '@/components/dashboard/account/open-forms';
import { Link } from '@/components/ui/link';
import { services } from '@/lib/api/services';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('authSignUp');

export default async function SignUpPage() {
  const { t } = await getDashboardWords();
  return (
    <AccountCard
      title={t('authSignUpTitle')}
      text={t('authSignUpText')}
      after={t.rich('authHasAccount', {
        link: (words) => (
          <Link href="/login" className="font-semibold">
            {words}
          </Link>
        ),
      })}
    >
      <SignUpForm isSandbox={services().config.SANDBOX_ORIGIN !== undefined} />
      {!services().config.DIRECT_SETTLEMENT && (
        <details className="rounded-lg border border-line p-3 text-[0.8125rem]">
          <summary className="min-h-6 cursor-pointer">
            <strong>{t('moneyTitle')}</strong> {t('moneyHolder')}
          </summary>
          <p className="mt-2 text-muted">{t('moneyText')}</p>
        </details>
      )}
    </AccountCard>
  );
}
