// The customer's view with an unsaved branding: the hosted page before and after a payment, and the receipt. The real
// components render a sample payment. It writes nothing, runs no script, and only the dashboard frames it.

import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { Checkout } from '@/components/checkout/checkout';
import { AfterPayment } from '@/components/refund/after-payment';
import { PaymentReceiptPage } from '@/components/refund/receipt';
import { cheapestOffered, offeredSpecs, blockIntervalsOf, payWays } from '@/lib/payments/checkout/wallets/pay-ways';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { NONCE_HEADER } from '@/lib/platform/http';
import { chosenMethod } from '@/lib/payments/checkout/stage';
import { viewCheckout } from '@/lib/payments/checkout/view';
import { sampleFacts, sampleReceipt, type SampleStore } from '@/lib/payments/checkout/sample-checkout';
import { draftBranding, readStoreBranding, type StoreBranding } from '@/lib/merchants/branding/branding';
import { brandingStyle } from '@/lib/merchants/branding/branding-style';

type Props = {
  readonly params: Promise<{ store_id: string; view: string }>;
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function BrandingPreviewPage({ params, searchParams }: Props) {
  const { context, store: row } = await requireStorePage(params, 'store.read');
  const [{ view }, query] = await Promise.all([params, searchParams]);
  const branding = draftBranding(await readStoreBranding(context.pool, row.id), {
    displayName: one(query.name),
    brandColor: one(query.color),
    theme: one(query.theme),
    supportContact: one(query.contact),
  });
  const store = { name: branding.displayName ?? row.name, website: row.website, branding: columnsOf(branding) };
  const style = brandingStyle(branding);
  return (
    <>
      {style && <style nonce={(await headers()).get(NONCE_HEADER) ?? ''}>{style}</style>}
      {drawn(view, store, context)}
    </>
  );
}

function drawn(view: string, store: SampleStore, { config, clock }: Context) {
  const sample = { store, config, now: unixSeconds(clock.now()) };
  switch (view) {
    case 'new':
      return <SampleCheckout {...sample} isPaid={false} />;
    case 'paid':
      return <SampleCheckout {...sample} isPaid />;
    case 'receipt':
      return <PaymentReceiptPage receipt={sampleReceipt(sample)} mail={null} />;
    default:
      return notFound();
  }
}

function SampleCheckout(sample: Parameters<typeof sampleFacts>[0]) {
  const { config, now, isPaid } = sample;
  const view = viewCheckout(sampleFacts(sample), config, now);
  const method = chosenMethod(view, undefined, undefined, cheapestOffered(view));
  return (
    <Checkout
      view={view}
      chosen={method && { method, isMade: true, ways: payWays(view, method, config) }}
      specs={offeredSpecs(view, config)}
      blockSeconds={blockIntervalsOf(view, config)}
      kept={{}}
      isStaying
      finderQuery={null}
      testMoney={null}
    >
      {isPaid && <AfterPayment sessionId={view.facts.id} isMailed={false} route={null} isAwaited={false} />}
    </Checkout>
  );
}

const columnsOf = ({ brandColor, theme, supportContact, logo }: StoreBranding): SampleStore['branding'] => ({
  brand_color: brandColor,
  theme,
  support_contact: supportContact,
  embed_origins: [],
  logo_hash: logo?.hash ?? null,
  logo_width: logo?.width ?? null,
  logo_height: logo?.height ?? null,
});

const one = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
