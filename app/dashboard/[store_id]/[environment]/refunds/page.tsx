// The refunds of a store: searched, filtered and paged through the page's address.

import { choice, days, FilteredList } from '@/components/dashboard/payments/filtered-list';
import { RefundTable } from '@/components/dashboard/payments/lists';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { networkChoices } from '@/lib/dashboard/lists/choices';
import { readRefundFilters, REFUND_STATUSES } from '@/lib/dashboard/lists/filters';
import { listStoreRefunds } from '@/lib/dashboard/lists/refunds';
import { readListQuery, requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navRefunds');

export default async function RefundsPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, can } = await requireStorePage(params, 'refunds.read');
  const { t } = await getDashboardWords();
  const { filters, pageRequest, isFiltered } = readListQuery(await searchParams, readRefundFilters);
  const page = await listStoreRefunds(context, of, filters, pageRequest);
  return (
    <>
      <PageHead title={t('navRefunds')} />
      <FilteredList
        {...{ t, page, isFiltered }}
        head={{
          exportPath: can('payments.export') ? `${api}/exports/refunds` : null,
          search: t('refSearch'),
          filters: [
            choice('status', t('payAnyStatus'), REFUND_STATUSES, (value) => t(`refStatus_${value}`)),
            choice('hold', t('refAnyHold'), ['any'], () => t('refHeld')),
            { kind: 'choice', name: 'network', label: t('payAnyNetwork'), options: networkChoices(t, context.config) },
            ...days(t),
          ],
        }}
        nothingFound={t('refNothingFound')}
        none={
          <Empty icon="refunds" title={t('refNoneTitle')} text={t('refNoneText')}>
            <ButtonLink href={`${base}/payments?status=completed`} icon="payments">
              {t('refNonePayments')}
            </ButtonLink>
            <ButtonLink href="/docs/refunds" icon="external">
              {t('navDocs')}
            </ButtonLink>
          </Empty>
        }
      >
        {(list) => <RefundTable {...{ t, base }} {...list} />}
      </FilteredList>
    </>
  );
}
