// One payment: requested and received amounts, payment exceptions and their decisions, refunds, events, and the
// complete history.

import { notFound } from 'next/navigation';
import { EventList } from '@/components/dashboard/events/event-list';
import { PaymentExceptions } from '@/components/dashboard/payments/exceptions';
import { PaymentFactsCard, TransferList } from '@/components/dashboard/payments/payment-facts';
import { PageLink } from '@/components/dashboard/payments/page-link';
import { Network, PaymentStatus, RefundState } from '@/components/dashboard/payments/status';
import { Timeline } from '@/components/dashboard/payments/timeline';
import { MakeRefund } from '@/components/dashboard/refunds/make-refund';
import { Card, PageHead } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { readPayment, type PaymentView } from '@/lib/dashboard/payment/payment';
import { requireStorePage } from '@/lib/dashboard/store-page';
import type { Context } from '@/lib/platform/context';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { readRefundRoute } from '@/lib/refunds/customer-address/page';
import { isStoreOpen } from '@/lib/merchants/stores/store-status';

export const generateMetadata = titled('payOne');

type Props = { readonly params: Promise<{ store_id: string; environment: string; session_id: string }> };

export default async function PaymentPage({ params }: Props) {
  const { context, of, base, api, can, store } = await requireStorePage(params, 'payments.read');
  const { t } = await getDashboardWords();
  const payment = await readPayment(context, of, (await params).session_id);
  if (!payment) notFound();
  const canRefund =
    can('refunds.make') &&
    isStoreOpen(store.status, of.environment) &&
    payment.paid !== null &&
    payment.refundable !== '0.00';
  return (
    <>
      <PageHead
        title={<Money amount={payment.amount} currency={payment.currency} />}
        back={{ href: `${base}/payments`, label: t('navPayments') }}
        badge={<PaymentStatus {...payment} />}
        text={
          <span className="wrap-anywhere">
            {payment.orderId}
            {payment.paid && (
              <>
                {' '}
                · {payment.paid.currency} · <Network name={payment.paid.network} />
              </>
            )}
            {payment.paid && payment.refundShare !== 'none' && (
              <>
                {' '}
                · {t('payRefunded')}: <Money amount={payment.refunded} currency={payment.paid.currency} />
              </>
            )}
          </span>
        }
        actions={
          <>
            <PageLink url={payment.url} />
            {canRefund && payment.paid && (
              <MakeRefund
                api={api}
                base={base}
                sessionId={payment.id}
                currency={payment.paid.currency}
                network={payment.paid.network}
                most={payment.refundable}
                goesTo={await destinationOf(context, payment)}
                payers={payment.payers}
              />
            )}
          </>
        }
      />
      {/* On a phone the history comes before the details; on wide screens it stands beside them. */}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] xl:grid-rows-[auto_1fr]">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          {payment.exceptions.length > 0 && (
            <Card title={t('payExceptions')} text={t('payExceptionsText')}>
              <PaymentExceptions exceptions={payment.exceptions} api={api} canDecide={can('cases.decide')} />
            </Card>
          )}
          <Card title={t('payTransfers')}>
            <TransferList transfers={payment.transfers} />
          </Card>
          {payment.refunds.length > 0 && (
            <Card title={t('navRefunds')}>
              <ul className="m-0 grid list-none gap-2 p-0">
                {payment.refunds.map((refund) => (
                  <li key={refund.id} className="flex flex-wrap items-center justify-between gap-3">
                    <Link href={`${base}/refunds/${refund.id}`} className="py-1 wrap-anywhere">
                      {refund.refund_id}
                    </Link>
                    <span className="flex items-center gap-3">
                      <RefundState status={refund.status} isHeld={refund.hold !== null} />
                      <Money amount={refund.amount} currency={refund.currency} />
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </div>
        <div className="xl:col-start-2 xl:row-span-2 xl:row-start-1">
          <Card title={t('payTimeline')}>
            <Timeline moments={payment.timeline} base={base} />
          </Card>
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <PaymentFactsCard payment={payment} />
          <Card title={t('navEvents')}>
            <EventList events={payment.events} api={api} canResend={can('webhook.resend')} />
          </Card>
        </div>
      </div>
    </>
  );
}

/** The destination of a refund made now, if it is certain. */
async function destinationOf(context: Context, { id, refundAddress }: PaymentView) {
  if (refundAddress !== null) return { address: refundAddress, isGiven: true };
  const payer = (await readRefundRoute(context, id, undefined))?.payer ?? null;
  return payer === null ? null : { address: payer, isGiven: false };
}
