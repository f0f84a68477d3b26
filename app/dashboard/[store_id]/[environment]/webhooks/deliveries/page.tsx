// The deliveries to a store's endpoint and their outcomes, with resending.

import { ListHead } from '@/components/dashboard/payments/list-head';
import { Turns } from '@/components/dashboard/payments/turns';
import { Health } from '@/components/dashboard/webhooks/console';
import { DeliveryList } from '@/components/dashboard/webhooks/delivery-list';
import { ResendFailed } from '@/components/dashboard/webhooks/resend-failed';
import { WebhookTabs } from '@/components/dashboard/webhooks/tabs';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { DELIVERY_STATUSES, readDeliveryFilters, readDeliveryPage } from '@/lib/dashboard/lists/deliveries';
import { readTurn, type Parameters } from '@/lib/dashboard/lists/filters';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { readEndpointHealth } from '@/lib/webhooks/endpoint/health';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { lenient, requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('hookTabDeliveries');

type Props = {
  readonly params: Promise<{ store_id: string; environment: string }>;
  readonly searchParams: Promise<Parameters>;
};

export default async function DeliveriesPage({ params, searchParams }: Props) {
  const { context, of, base, api, can } = await requireStorePage(params, 'webhook.read');
  const words = await getDashboardWords();
  const { t } = words;
  const given = await searchParams;
  const filters = lenient(() => readDeliveryFilters(given), {});
  const turn = lenient(() => readTurn(given), FIRST_PAGE);
  const [page, health] = await Promise.all([
    readDeliveryPage(context, of, filters, turn),
    readEndpointHealth(context, of),
  ]);
  const isFiltered = Object.keys(filters).length > 0;
  const isNone = page.rows.length === 0 && turn.after === null;
  const canResend = can('webhook.resend');
  return (
    <>
      <PageHead
        title={t('navWebhooks')}
        text={t('dlvText')}
        actions={canResend && !(isNone && !isFiltered) ? <ResendFailed api={api} /> : null}
      />
      <WebhookTabs base={base} />
      {health && (
        <div className="mb-5">
          <Health health={health} words={words} />
        </div>
      )}
      {(!isNone || isFiltered) && (
        <ListHead
          exportPath={null}
          search={t('dlvSearch')}
          filters={[
            {
              kind: 'choice',
              name: 'status',
              label: t('dlvAnyState'),
              options: DELIVERY_STATUSES.map((value) => ({ value, label: t(`evtDelivery_${value}`) })),
            },
            {
              kind: 'choice',
              name: 'type',
              label: t('evtAnyType'),
              options: EVENT_TYPES.map((value) => ({ value, label: value })),
            },
            { kind: 'date', name: 'from', label: t('payFrom') },
            { kind: 'date', name: 'to', label: t('payTo') },
          ]}
        />
      )}
      <DeliveryList
        rows={page.rows}
        api={api}
        base={base}
        canResend={canResend}
        empty={
          isFiltered ? (
            <Empty icon="search" title={t('dlvNothingFound')} text={t('payNothingFoundText')} />
          ) : (
            <Empty icon="events" title={t('dlvNone')} text={t('dlvNoneText')}>
              <ButtonLink href={`${base}/webhooks`} icon="webhooks">
                {t('hookTabEndpoint')}
              </ButtonLink>
            </Empty>
          )
        }
        foot={<Turns older={page.older} newer={null} shown={page.rows.length} />}
      />
    </>
  );
}
