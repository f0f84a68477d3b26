// A store at a glance: its numbers over some days, pending decisions, and its latest payments. For a new store, the
// steps to the first payment.

import { Charts } from '@/components/dashboard/stores/charts';
import { FirstSteps } from '@/components/dashboard/stores/first-steps';
import { StoreNotice } from '@/components/dashboard/stores/notices';
import { pauseOf } from '@/components/dashboard/webhooks/console';
import { PauseNote } from '@/components/dashboard/webhooks/pause-note';
import { PaymentTable } from '@/components/dashboard/payments/lists';
import { FirstPayment } from '@/components/dashboard/payments/first-payment';
import { Card, Note, PageHead } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { RefreshOnReturn } from '@/components/ui/refresh-on-return';
import { Stat, Stats } from '@/components/ui/stat';
import { TabLinks } from '@/components/ui/tabs';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { PERIODS, readStoreOverview, type StoreOverview } from '@/lib/dashboard/payment/overview';
import { listPayments } from '@/lib/dashboard/lists/payments';
import { requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { readFirstSteps } from '@/lib/merchants/stores/first-steps';
import { readEndpointHealth } from '@/lib/webhooks/endpoint/health';

export const generateMetadata = titled('navOverview');

const LATEST = 8;

export default async function OverviewPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, store, can } = await requireStorePage(params, 'payments.read');
  const words = await getDashboardWords();
  const { t, format } = words;
  const { days } = await searchParams;
  const period = PERIODS.find((one) => String(one) === days) ?? 30;
  const [overview, latest, health, steps] = await Promise.all([
    readStoreOverview(context, of, period),
    listPayments(context, of, {}, { ...FIRST_PAGE, limit: LATEST }),
    can('webhook.read') ? readEndpointHealth(context, { ...of, hours: 1 }) : null,
    can('first_steps.hide') ? readFirstSteps(context.pool, of.storeId) : null,
  ]);
  const pause = health && pauseOf(health);
  const rate = overview.successRate === null ? '–' : format.percent(overview.successRate);
  const beforeRate = overview.before.successRate;
  return (
    <>
      <RefreshOnReturn />
      <PageHead title={store.name} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <StoreNotice status={store.status} reason={store.statusReason} isLive={of.environment === 'live'} />
        {pause && <PauseNote pause={pause} api={api} base={base} canChange={can('webhook.change')} />}
        <Waiting
          overview={overview}
          base={base}
          failed={can('webhook.read') ? 'webhooks/deliveries?status=failed' : 'events'}
          t={t}
        />
        {steps && <FirstSteps steps={steps} storeId={of.storeId} base={base} />}
        <div className="-mb-4">
          <TabLinks
            label={t('ovwPeriod')}
            links={PERIODS.map((one) => ({
              href: `${base}/overview?days=${one}`,
              label: t('ovwDays', { count: one }),
              isCurrent: one === period,
            }))}
          />
        </div>
        <Stats>
          <Stat
            label={t('ovwVolume')}
            value={format.money(overview.volume, 'USD')}
            hint={overview.before.paid > 0 && t('ovwBefore', { value: format.amount(overview.before.volume) })}
          />
          <Stat
            label={t('ovwPaid')}
            value={format.number(overview.paid)}
            hint={overview.before.paid > 0 && t('ovwBefore', { value: format.number(overview.before.paid) })}
          />
          <Stat
            label={t('ovwRate')}
            value={rate}
            hint={beforeRate === null ? t('ovwRateHint') : t('ovwBefore', { value: format.percent(beforeRate) })}
          />
          <Stat label={t('payRefunded')} value={format.money(overview.refunded, 'USD')} />
        </Stats>
        {overview.created > 0 && <Charts {...chartsOf(overview, words)} />}
        <Card title={t('ovwLatest')} isFlush>
          <PaymentTable
            t={t}
            base={base}
            rows={latest.rows}
            isBare
            empty={
              <FirstPayment origin={context.config.PUBLIC_URL} keysHref={can('keys.read') ? `${base}/keys` : null} />
            }
          />
        </Card>
      </div>
    </>
  );
}

type WaitingProps = {
  readonly overview: StoreOverview;
  readonly base: string;
  /** The page of failed deliveries, if the viewer may read it. */
  readonly failed: string;
  readonly t: DashboardWords['t'];
};

function Waiting({ overview, base, failed, t }: WaitingProps) {
  const { exceptions, refunds, deliveries } = overview.waiting;
  const lines = [
    { count: exceptions, href: `${base}/payments`, text: t('ovwExceptions', { count: exceptions }) },
    { count: refunds, href: `${base}/refunds?hold=any`, text: t('ovwRefunds', { count: refunds }) },
    { count: deliveries, href: `${base}/${failed}`, text: t('ovwDeliveries', { count: deliveries }) },
  ].filter(({ count }) => count > 0);
  if (lines.length === 0) return null;
  return (
    <Note tone="warn" title={t('ovwWaiting')}>
      <ul className="m-0 grid list-none gap-1 p-0">
        {lines.map(({ href, text }) => (
          <li key={href}>
            <Link href={href}>{text}</Link>
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** Numbers for drawing, and exact texts for the table behind each chart. */
function chartsOf(overview: StoreOverview, { format }: DashboardWords) {
  const shares = (of: StoreOverview['networks']) =>
    of.map(({ name, volume }) => {
      const share = Number(volume) / (Number(overview.volume) || 1);
      return { name, share, text: format.money(volume, 'USD'), percent: format.percent(share) };
    });
  return {
    days: overview.days.map(({ day, volume, paid, unpaid }) => ({
      name: format.shortDay(day.getTime() / 1000),
      volume: Number(volume),
      text: format.amount(volume),
      paid,
      unpaid,
    })),
    before:
      Number(overview.before.volume) === 0
        ? null
        : overview.before.days.map((volume) => ({ volume: Number(volume), text: format.amount(volume) })),
    networks: shares(overview.networks),
    tokens: shares(overview.tokens),
  };
}
