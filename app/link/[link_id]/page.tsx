// The page of a payment link. It is public: its address is the only key.

import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { LinkPage } from '@/components/link/link-page';
import { services } from '@/lib/api/services';
import { NONCE_HEADER } from '@/lib/platform/http';
import { getWords } from '@/lib/i18n/translate';
import { SHOWN_REFUSALS } from '@/lib/payments/links/open';
import { newFormSeal, readLink } from '@/lib/payments/links/page';
import { offeredIn } from '@/lib/payments/sessions/create/offered';
import { hasTestMoney } from '@/lib/payments/sessions/test-money';
import { brandingStyle } from '@/lib/merchants/branding/branding-style';

type Props = {
  readonly params: Promise<{ link_id: string }>;
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Read once per request, for the title and the page. */
const readShown = cache((linkId: string) => readLink(services().pool, linkId));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ link_id }, { t }] = await Promise.all([params, getWords()]);
  const shown = await readShown(link_id);
  const robots = { index: false, follow: false };
  if (!shown) return { title: t('claimUnknownTitle'), robots };
  return { title: t('titlePay', { store: shown.storeName }), robots };
}

export default async function LinkRoute({ params, searchParams }: Props) {
  const [{ link_id }, { amount, refused }] = await Promise.all([params, searchParams]);
  const shown = await readShown(link_id);
  if (!shown) notFound();
  const style = brandingStyle({ brandColor: shown.brandColor, theme: shown.theme });
  return (
    <>
      {style !== null && <style nonce={(await headers()).get(NONCE_HEADER) ?? ''}>{style}</style>}
      <LinkPage
        shown={shown}
        seal={newFormSeal(services().config, shown.link.id)}
        typed={typeof amount === 'string' ? amount : null}
        hasTestMoney={hasTestMoney(services().config, shown.link.environment)}
        offered={offeredIn(services().config, shown.store, shown.link.currency)}
        refused={SHOWN_REFUSALS.find((one) => one === refused) ?? null}
      />
    </>
  );
}
