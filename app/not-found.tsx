// The page for unknown addresses.

import { headers } from 'next/headers';
import { NotFoundPage } from '@/components/ui/not-found-page';
import { PATH_HEADER } from '@/lib/merchants/accounts/sign-in/return-path';
import { DASHBOARD_LOCALES, isDashboardPath } from '@/lib/i18n/dashboard';
import { DOCS_LOCALES, isDocsPath } from '@/lib/i18n/docs';
import { LOCALES, type Locale } from '@/lib/i18n/locales';
import { getWords } from '@/lib/i18n/translate';

export default async function NotFound() {
  const [{ t }, given] = await Promise.all([getWords(), headers()]);
  const { locales, start } = surroundings((given.get(PATH_HEADER) ?? '').replace(/\?.*/s, ''));
  // A customer may have mistyped the link of a payment.
  const text = locales === LOCALES ? `${t('notFoundText')} ${t('homeCustomer')}` : t('notFoundText');
  return (
    <NotFoundPage icon="search" title={t('notFoundTitle')} text={text} isStartFirst start={start} locales={locales} />
  );
}

type Surroundings = { readonly locales: readonly Locale[]; readonly start: '/' | '/dashboard' | '/docs' };

/** The languages that proxy.ts offers for the page at this path, and the start page of the pages around it. */
function surroundings(path: string): Surroundings {
  if (isDocsPath(path)) return { locales: DOCS_LOCALES, start: '/docs' };
  if (isDashboardPath(path)) return { locales: DASHBOARD_LOCALES, start: '/dashboard' };
  return { locales: LOCALES, start: '/' };
}
