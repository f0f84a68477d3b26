// Signing in. Whoever is signed in already goes on.

import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { AccountCard } from '@/components/dashboard/account/frame';
import { SignInForm } from '@/components/dashboard/account/sign-in-form';
import { Link } from '@/components/ui/link';
import { safePath } from '@/lib/accounts/return-path';
import { services } from '@/lib/api/services';
import { pageVisitor } from '@/lib/dashboard/page';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getDashboardWords()).t('authSignIn') };
}

type Props = { readonly searchParams: Promise<{ callbackUrl?: string | string[]; error?: string | string[] }> };

export default async function LoginPage({ searchParams }: Props) {
  const { callbackUrl, error } = await searchParams;
  const { config } = services();
  const next = safePath(typeof callbackUrl === 'string' ? callbackUrl : null, config.PUBLIC_URL);
  const refusal = typeof error === 'string' ? error : null;
  const who = await pageVisitor();
  if (who?.isComplete) redirect(next);
  if (who && refusal === null) redirect('/two-factor');
  const { t } = await getDashboardWords();
  return (
    <AccountCard
      title={t('authSignInTitle')}
      text={config.SANDBOX_ORIGIN === undefined ? undefined : t('authSandbox')}
      after={t.rich('authNoAccount', {
        link: (words) => (
          <Link href="/signup" className="font-semibold">
            {words}
          </Link>
        ),
      })}
    >
      <SignInForm callbackUrl={next} refusal={refusal} />
    </AccountCard>
  );
}
