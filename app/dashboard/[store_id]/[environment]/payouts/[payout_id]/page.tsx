// One payout: its destination, why it waits or failed, its times and costs, and its transactions.

import { notFound } from 'next/navigation';
import { EventList } from '@/components/dashboard/events/event-list';
import { CancelPayout } from '@/components/dashboard/payouts/cancel-payout';
import { PayoutFactsCard } from '@/components/dashboard/payouts/payout-facts';
import { holdText, PayoutState } from '@/components/dashboard/payouts/payout-state';
import { Attempts } from '@/components/dashboard/refunds/refund-facts';
import { Card, Fact, Facts, Note, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { RefreshWhile } from '@/components/ui/refresh-while';
import { readStorePayout } from '@/lib/dashboard/payouts/payout';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('pouOne');

type Props = { readonly params: Promise<{ store_id: string; environment: string; payout_id: string }> };

export default async function PayoutPage({ params }: Props) {
  const { context, of, base, api, can } = await requireStorePage(params, 'payouts.read');
  const words = await getDashboardWords();
  const { t, format } = words;
  const payout = await readStorePayout(context, of, (await params).payout_id);
  if (!payout) notFound();
  return (
    <>
      <RefreshWhile isGoingOn={payout.status === 'pending' || payout.status === 'processing'} />
      <PageHead
        title={t('pouOneTitle', { amount: format.money(payout.amount, payout.currency) })}
        back={{ href: `${base}/payouts`, label: t('navPayouts') }}
        badge={<PayoutState {...{ t, payout }} />}
        text={
          <code className="text-[0.8125rem] break-all" dir="ltr" translate="no">
            {payout.payoutId}
          </code>
        }
        actions={payout.isCancelable && can('payouts.manage') && <CancelPayout api={api} id={payout.id} />}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {payout.hold !== null && (
          <Note tone="warn" title={t('refWaits')}>
            {holdText(t, payout.hold)}
            {payout.holdUntil !== null && (
              <Facts>
                <Fact name={t('refPaidAfter')}>
                  <DateTime at={payout.holdUntil} isExact />
                </Fact>
              </Facts>
            )}
          </Note>
        )}
        {payout.failureReason !== null && (
          <Note tone="bad" title={t('refFailed')}>
            {payout.failureReason}
          </Note>
        )}
        <PayoutFactsCard {...{ words, payout }} />
        {payout.attempts.length > 0 && (
          <Card title={t('refAttempts')} text={t('refAttemptsText')}>
            <Attempts attempts={payout.attempts} />
          </Card>
        )}
        {payout.events.length > 0 && (
          <Card title={t('navEvents')}>
            <EventList events={payout.events} api={api} canResend={can('webhook.resend')} />
          </Card>
        )}
      </div>
    </>
  );
}
