// Where a customer gives a refund address for a paid order: the form, and the step that shows the address for
// comparison. `signature` in the query says that the last signature was refused.

import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { RefundAddressForm } from '@/components/refund/refund-address-form';
import { services } from '@/lib/api/services';
import { getWords } from '@/lib/i18n/translate';
import { isTlsUrl, pageCookieName } from '@/lib/platform/security/page-cookies';
import { checkForPage, readRefundRoute } from '@/lib/refunds/customer-address/page';

type Props = {
  readonly params: Promise<{ session_id: string }>;
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Read once per request, for the title and the page. */
const readRoute = cache(async (sessionId: string) => {
  const name = pageCookieName('payer', isTlsUrl(services().config.PUBLIC_URL));
  return readRefundRoute(services(), sessionId, (await cookies()).get(name)?.value);
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ session_id }, { t }] = await Promise.all([params, getWords()]);
  const route = await readRoute(session_id);
  const title = route ? t('titleClaim', { store: route.storeName }) : t('notFoundPayTitle');
  return { title, robots: { index: false, follow: false } };
}

export default async function RefundAddressPage({ params, searchParams }: Props) {
  const [{ session_id: sessionId }, { address, signature }] = await Promise.all([params, searchParams]);
  const route = await readRoute(sessionId);
  if (!route) notFound();
  if (route.addressEntry === 'elsewhere' || route.addressEntry === 'closed')
    redirect(`/pay/${sessionId}#refund-address`);
  const check =
    typeof address === 'string' ? await checkForPage(services(), { sessionId }, { ...route, typed: address }) : null;
  const isRefused = signature === 'refused';
  return <RefundAddressForm sessionId={sessionId} route={route} check={check} isSignatureRefused={isRefused} />;
}
