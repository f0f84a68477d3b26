// The claim link's page, which a shop sends to a customer whose refund waits for an address.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { ClaimPage } from '@/components/refund/claim';
import { services } from '@/lib/api/services';
import { getWords } from '@/lib/i18n/translate';
import { checkForPage, readShownClaim } from '@/lib/refunds/customer-address/page';

type Props = {
  readonly params: Promise<{ token: string }>;
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Read once per request, for the title and the page. */
const readLink = cache((token: string) => readShownClaim(services(), token));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ token }, { t }] = await Promise.all([params, getWords()]);
  const claim = await readLink(token);
  const title = claim ? t('titleClaim', { store: claim.storeName }) : t('claimUnknownTitle');
  return { title, robots: { index: false, follow: false } };
}

export default async function ClaimRoute({ params, searchParams }: Props) {
  const [{ token }, { address }] = await Promise.all([params, searchParams]);
  const claim = await readLink(token);
  if (!claim) notFound();
  const isTyped = claim.state === 'open' && typeof address === 'string';
  const check = isTyped ? await checkForPage(services(), { claimToken: token }, { ...claim, typed: address }) : null;
  return <ClaimPage claim={claim} token={token} check={check} />;
}
