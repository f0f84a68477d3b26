// The hosted payment page.

import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { Checkout } from '@/components/checkout/checkout';
import type { Report } from '@/components/checkout/elements';
import { STAY } from '@/components/checkout/shop-return';
import type { TestMoneyResult } from '@/components/checkout/test-money';
import { AfterPayment } from '@/components/refund/after-payment';
import { RefundList } from '@/components/refund/refund-list';
import { clientAddress } from '@/lib/api/client-address';
import { findForPage } from '@/lib/api/public/find';
import { services } from '@/lib/api/services';
import { checkoutScript, OF_THE_PAGE } from '@/lib/payments/checkout/page-script';
import { cheapestOffered, offeredSpecs, blockIntervalsOf, payWays } from '@/lib/payments/checkout/wallets/pay-ways';
import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import { pool } from '@/lib/platform/database/db';
import { NONCE_HEADER } from '@/lib/platform/http';
import { getWords, type MessageKey } from '@/lib/i18n/translate';
import { readRefundRoute } from '@/lib/refunds/customer-address/page';
import { isReceiptMailed } from '@/lib/payments/receipts/mail';
import { isTlsUrl, pageCookieName } from '@/lib/platform/security/page-cookies';
import { isFullyRefunded } from '@/lib/payments/checkout/refunds';
import { chosenMethod, stageOf, type Stage } from '@/lib/payments/checkout/stage';
import { publicStatus, readCheckout, type CheckoutView } from '@/lib/payments/checkout/view';
import { hasTestMoney } from '@/lib/payments/sessions/test-money';
import { brandingStyle } from '@/lib/merchants/branding/branding-style';

type Props = {
  readonly params: Promise<{ session_id: string }>;
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Read once per request, for the title and the page. */
const readView = cache((sessionId: string) =>
  readCheckout({ pool: pool(), clock: systemClock, config: config() }, sessionId),
);

const TITLES: Readonly<Record<Stage, MessageKey & `title${string}`>> = {
  pay: 'titlePay',
  confirming: 'titleConfirming',
  checking: 'titlePay',
  unavailable: 'titlePay',
  paid: 'titlePaid',
  expired: 'titleClosed',
  canceled: 'titleClosed',
  failed: 'titleClosed',
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ session_id }, { t }] = await Promise.all([params, getWords()]);
  const view = await readView(session_id);
  const robots = { index: false, follow: false };
  if (!view) return { title: t('notFoundPayTitle'), robots };
  return { title: t(TITLES[stageOf(view)], { store: view.facts.store_name }), robots };
}

export default async function PayPage({ params, searchParams }: Props) {
  const [{ session_id }, query] = await Promise.all([params, searchParams]);
  const view = await readView(session_id);
  if (!view) notFound();
  const address = clientAddress(await headers());
  const finderQuery = await findForPage(services(), { sessionId: session_id, transaction: query.transaction, address });
  const isPaid = stageOf(view) === 'paid';
  const [asMethod, wallet, choosing, stay] = [query.method, query.wallet, query.choosing, query[STAY]].map(one);
  const [jar, isTls] = [await cookies(), isTlsUrl(services().config.PUBLIC_URL)];
  const remembered = jar.get(pageCookieName('method', isTls))?.value;
  const method = chosenMethod(view, asMethod, remembered, cheapestOffered(view));
  const payer = jar.get(pageCookieName('payer', isTls))?.value;
  const route = isPaid ? await readRefundRoute(services(), session_id, payer) : null;
  const checkout = (
    <Checkout
      view={view}
      chosen={
        method && {
          method,
          // A token was chosen, and the network comes next.
          isMade: choosing === undefined,
          ways: payWays(view, method, config()),
        }
      }
      specs={offeredSpecs(view, config())}
      blockSeconds={blockIntervalsOf(view, config())}
      kept={{
        ...(method && asMethod ? { method: asMethod } : {}),
        ...(method && wallet ? { wallet } : {}),
        ...(method && choosing ? { choosing } : {}),
        ...(stay ? { [STAY]: stay } : {}),
      }}
      // A customer who has given a refund address returns here to read it.
      isStaying={stay !== undefined || (route !== null && route.given !== null)}
      finderQuery={finderQuery}
      testMoney={hasTestMoney(config(), view.facts.environment) ? resultOf(query.test_money) : null}
    >
      <Reports view={view} />
      <RefundList refunds={view.refunds} />
      {isPaid && (
        <AfterPayment
          sessionId={session_id}
          isMailed={await isReceiptMailed(services(), { sessionId: session_id, payerToken: payer })}
          // Once everything was refunded, there is nothing left to contact the shop about.
          route={isFullyRefunded(view.facts) ? null : route}
          isAwaited={view.refunds.some(isAwaited)}
        />
      )}
    </Checkout>
  );
  const nonce = (await headers()).get(NONCE_HEADER) ?? '';
  return (
    <>
      <StoreStyle view={view} nonce={nonce} />
      {checkout}
      <script type="module" defer src={await checkoutScript()} nonce={nonce} {...{ [OF_THE_PAGE]: '' }} />
    </>
  );
}

function StoreStyle({ view: { facts }, nonce }: { view: CheckoutView; nonce: string }) {
  const style =
    facts.branding && brandingStyle({ brandColor: facts.branding.brand_color, theme: facts.branding.theme });
  return style && <style nonce={nonce}>{style}</style>;
}

/** Only if the store has listed origins that may receive reports. */
function Reports({ view }: { view: CheckoutView }) {
  const { id, branding } = view.facts;
  if (!branding || branding.embed_origins.length === 0) return null;
  const { status, payment_status } = publicStatus(view);
  const report: Report = { session_id: id, status, payment_status };
  return (
    <status-report hidden data-origins={JSON.stringify(branding.embed_origins)} data-report={JSON.stringify(report)} />
  );
}

const resultOf = (text: unknown): TestMoneyResult => (text === 'sent' || text === 'failed' ? text : 'unpressed');

const isAwaited = ({ state }: CheckoutView['refunds'][number]): boolean => state === 'waits';

const one = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
