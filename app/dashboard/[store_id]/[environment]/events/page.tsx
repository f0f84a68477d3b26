// The events of a store and their deliveries.

import { ResendMenu } from '@/components/dashboard/events/resend';
import { choice, days, FilteredList } from '@/components/dashboard/payments/filtered-list';
import { shortened } from '@/components/ui/shortened';
import { DeliveryState } from '@/components/dashboard/payments/status';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Table } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import { listStoreEvents, type EventRow } from '@/lib/dashboard/lists/events';
import { readEventFilters } from '@/lib/dashboard/lists/filters';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { readListQuery, requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navEvents');

export default async function EventsPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, can } = await requireStorePage(params, 'payments.read');
  const { t } = await getDashboardWords();
  const { filters, pageRequest, isFiltered } = readListQuery(await searchParams, readEventFilters);
  const page = await listStoreEvents(context, of, filters, pageRequest);
  const objectHref = ({ objectId }: EventRow): string =>
    `${base}/${objectId.startsWith('re_') ? 'refunds' : 'payments'}/${objectId}`;
  return (
    <>
      <PageHead title={t('navEvents')} text={t('evtText')} />
      <FilteredList
        {...{ t, page, isFiltered }}
        head={{
          exportPath: null,
          search: t('evtSearch'),
          filters: [choice('type', t('evtAnyType'), EVENT_TYPES), ...days(t)],
        }}
        nothingFound={t('evtNothingFound')}
        none={
          <Empty icon="events" title={t('evtNoneTitle')} text={t('evtNoneText')}>
            {can('webhook.read') && (
              <ButtonLink href={`${base}/webhooks`} icon="webhooks">
                {t('stepWebhookGo')}
              </ButtonLink>
            )}
            <ButtonLink href="/docs/webhooks" icon="external">
              {t('navDocs')}
            </ButtonLink>
          </Empty>
        }
      >
        {(list) => (
          <Table
            label={t('navEvents')}
            {...list}
            rowKey={(row) => row.id}
            columns={[
              {
                key: 'type',
                header: t('evtType'),
                onPhone: 'title',
                cell: (row) => <span className="font-semibold md:whitespace-nowrap">{row.type}</span>,
              },
              {
                key: 'about',
                header: t('evtAbout'),
                onPhone: 'under',
                cell: (row) => (
                  <Link href={objectHref(row)} title={row.objectId} className="py-1 whitespace-nowrap">
                    <code className="text-[0.8125rem]">{shortened(row.objectId)}</code>
                  </Link>
                ),
              },
              {
                key: 'delivery',
                header: t('evtDelivery'),
                onPhone: 'side',
                cell: (row) => <DeliveryState status={row.delivery} />,
              },
              {
                key: 'attempts',
                header: t('evtAttemptsHead'),
                isNumeric: true,
                isExtra: true,
                onPhone: 'hidden',
                cell: (row) => row.attempts ?? '–',
              },
              {
                key: 'at',
                header: t('payCreated'),
                isNumeric: true,
                onPhone: 'end',
                cell: (row) => <DateTime at={unixSeconds(row.createdAt)} inList />,
              },
              ...(can('webhook.resend')
                ? [
                    {
                      key: 'resend',
                      header: t('evtResend'),
                      isHeaderHidden: true,
                      isNumeric: true,
                      onPhone: 'menu' as const,
                      cell: (row: EventRow) => (
                        <ResendMenu api={api} id={row.id} name={`${row.type} ${shortened(row.objectId)}`} />
                      ),
                    },
                  ]
                : []),
            ]}
          />
        )}
      </FilteredList>
    </>
  );
}
