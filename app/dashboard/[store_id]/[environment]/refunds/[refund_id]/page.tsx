// One refund: its destination, why it waits and what to do, its transactions, and its history.

import { notFound } from 'next/navigation';
import { EventList } from '@/components/dashboard/events/event-list';
import { RefundState } from '@/components/dashboard/payments/status';
import { RequestAddress, CancelRefund, ClaimLink, ConfirmAddress } from '@/components/dashboard/refunds/refund-actions';
import { Attempts, RefundFactsCard, RefundTimeline } from '@/components/dashboard/refunds/refund-facts';
import { Address } from '@/components/ui/address';
import { Card, Fact, Facts, Note, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { RefreshWhile } from '@/components/ui/refresh-while';
import { readStoreRefund } from '@/lib/dashboard/payment/refund';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('refOne');

type Props = { readonly params: Promise<{ store_id: string; environment: string; refund_id: string }> };

/** Holds that end when the refund wallet is funded. */
const UNFUNDED: readonly string[] = ['no_tokens', 'no_fee_coin'];

export default async function RefundPage({ params }: Props) {
  const { context, of, base, api, can } = await requireStorePage(params, 'refunds.read');
  const { t, format } = await getDashboardWords();
  const refund = await readStoreRefund(context, of, (await params).refund_id);
  if (!refund) notFound();
  const isWaiting = refund.status === 'processing' && refund.hold !== null;
  // A refund on hold for a person changes only when that person acts.
  const isGoingOn = refund.status === 'pending' || (refund.status === 'processing' && refund.hold === null);
  return (
    <>
      <RefreshWhile isGoingOn={isGoingOn} />
      <PageHead
        title={t('refTitle', { amount: format.money(refund.amount, refund.currency) })}
        back={{ href: `${base}/refunds`, label: t('navRefunds') }}
        badge={<RefundState status={refund.status} isHeld={isWaiting} />}
        text={
          <code className="text-[0.8125rem] break-all" dir="ltr" translate="no">
            {refund.refundId}
          </code>
        }
        actions={
          refund.isCancelable && (
            <>
              {can('refunds.make') && !refund.needsAddress && !refund.isAddressNamed && (
                <RequestAddress api={api} id={refund.id} />
              )}
              {can('refunds.cancel') && <CancelRefund api={api} id={refund.id} />}
            </>
          )
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid gap-5">
          {isWaiting && refund.hold !== null && (
            <Note tone="warn" title={t('refWaits')}>
              {context.config.DIRECT_SETTLEMENT && UNFUNDED.includes(refund.hold)
                ? t('dirRefund')
                : t(`hold_${refund.hold}`)}
              {refund.hold === 'address_delay' && refund.holdUntil !== null && (
                <Facts>
                  <Fact name={t('refPaidAfter')}>
                    <DateTime at={refund.holdUntil} />
                  </Fact>
                  {refund.namedAddress !== null && (
                    <Fact name={t('refNamedAddress')}>
                      <Address text={refund.namedAddress} />
                      {refund.isAddressSigned && <span className="block">{t('refDestination_signed')}</span>}
                    </Fact>
                  )}
                </Facts>
              )}
            </Note>
          )}
          {refund.status === 'failed' && refund.failure_reason !== null && (
            <Note tone="bad" title={t('refFailed')}>
              {refund.failure_reason}
            </Note>
          )}
          {refund.needsAddress && can('refunds.make') && (
            <Card title={t('refClaim')}>
              <ClaimLink api={api} id={refund.id} hasLink={refund.claim !== null} />
            </Card>
          )}
          {isWaiting && refund.hold === 'address_unconfirmed' && can('refunds.make') && (
            <Card title={t('refConfirm')}>
              <ConfirmAddress api={api} id={refund.id} address={refund.pageAddress} />
            </Card>
          )}
          <RefundFactsCard refund={refund} base={base} />
          {refund.attempts.length > 0 && (
            <Card title={t('refAttempts')} text={t('refAttemptsText')}>
              <Attempts attempts={refund.attempts} />
            </Card>
          )}
          <Card title={t('navEvents')}>
            <EventList events={refund.events} api={api} canResend={can('webhook.resend')} />
          </Card>
        </div>
        <Card title={t('payTimeline')}>
          <RefundTimeline refund={refund} />
        </Card>
      </div>
    </>
  );
}
