// Signing in. A visitor who is already signed in is redirected.

import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { AccountCard } from '@/components/dashboard/account/frame';
import { SignInForm } from '@/components/dashboard/account/sign-in-form';
import { Link } from '@/components/ui/link';
import { formToken } from '@/lib/merchants/accounts/sign-in/form-token';
import { safePath } from '@/lib/merchants/accounts/sign-in/return-path';
import { services } from '@/lib/api/services';
import { pageVisitor } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';

export const generateMetadata = titled('authSignIn');

type Given = string | string[];
type Props = { readonly searchParams: Promise<{ callbackUrl?: Given; error?: Given; plain?: Given }> };

export default async function LoginPage({ searchParams }: Props) {
  const { callbackUrl, error, plain } = await searchParams;
  const { config } = services();
  const next = safePath(typeof callbackUrl === 'string' ? callbackUrl : null, config.PUBLIC_URL);
  const refusal = typeof error === 'string' ? error : null;
  const who = await pageVisitor();
  if (who?.isComplete) redirect(next);
  // After the first step only: the plain form of the second step returns here with its error.
  if (who) redirect(refusal === null ? '/two-factor' : `/two-factor?error=${encodeURIComponent(refusal)}`);
  const { t } = await getDashboardWords();
  const token = formToken(config, (await headers()).get('cookie'));
  return (
    <AccountCard
      title={t('authSignInTitle')}
      text={
        config.SANDBOX_ORIGIN === undefined
          ? undefined
          : t('authSandbox', { file: (isOwnSandbox(config) ? config.SANDBOX_FILE : undefined) ?? 'sandbox.json' })
      }
      after={t.rich('authNoAccount', {
        link: (words) => (
          <Link href="/signup" className="font-semibold">
            {words}
          </Link>
        ),
      })}
    >
      {token === null && plain === undefined && (
        <noscript>
          <meta httpEquiv="refresh" content={`0; url=/login/plain?callbackUrl=${encodeURIComponent(next)}`} />
        </noscript>
      )}
      <SignInForm callbackUrl={next} refusal={refusal} token={token} />
    </AccountCard>
  );
}
