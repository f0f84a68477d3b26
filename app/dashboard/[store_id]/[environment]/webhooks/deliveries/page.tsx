// The deliveries to a store's endpoint and their outcomes, with resending.

import { choice, days, FilteredList } from '@/components/dashboard/payments/filtered-list';
import { Health } from '@/components/dashboard/webhooks/console';
import { DeliveryList } from '@/components/dashboard/webhooks/delivery-list';
import { ResendFailed } from '@/components/dashboard/webhooks/resend-failed';
import { WebhookTabs } from '@/components/dashboard/webhooks/tabs';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { DELIVERY_STATUSES, readDeliveryFilters, readDeliveryPage } from '@/lib/dashboard/lists/deliveries';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { readEndpointHealth } from '@/lib/webhooks/endpoint/health';
import { readListQuery, requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('hookTabDeliveries');

export default async function DeliveriesPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, can } = await requireStorePage(params, 'webhook.read');
  const words = await getDashboardWords();
  const { t } = words;
  const { filters, pageRequest, isFiltered } = readListQuery(await searchParams, readDeliveryFilters);
  const [page, health] = await Promise.all([
    readDeliveryPage(context, of, filters, pageRequest),
    readEndpointHealth(context, of),
  ]);
  const isNone = page.rows.length === 0 && pageRequest.after === null;
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
      <FilteredList
        {...{ t, isFiltered, isNone }}
        page={{ ...page, newer: null }}
        head={{
          exportPath: null,
          search: t('dlvSearch'),
          filters: [
            choice('status', t('dlvAnyState'), DELIVERY_STATUSES, (value) => t(`evtDelivery_${value}`)),
            choice('type', t('evtAnyType'), EVENT_TYPES),
            ...days(t),
          ],
        }}
        nothingFound={t('dlvNothingFound')}
        none={
          <Empty icon="events" title={t('dlvNone')} text={t('dlvNoneText')}>
            <ButtonLink href={`${base}/webhooks`} icon="webhooks">
              {t('hookTabEndpoint')}
            </ButtonLink>
          </Empty>
        }
      >
        {(list) => <DeliveryList {...{ api, base, canResend }} {...list} />}
      </FilteredList>
    </>
  );
}
