// The payments of all stores: searched, and filtered by store, status, network and day. A row links to its payment.

import { choice, days, FilteredList } from '@/components/dashboard/payments/filtered-list';
import { AllPaymentsTable } from '@/components/dashboard/payments/lists';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { TabLinks } from '@/components/ui/tabs';
import { environmentTabs } from '@/components/operator/environment-tabs';
import { hrefWith, textOf } from '@/components/operator/query';
import { networkChoices } from '@/lib/dashboard/lists/choices';
import { readPaymentFilters, SESSION_STATUSES, type Parameters } from '@/lib/dashboard/lists/filters';
import { requirePage } from '@/lib/dashboard/page';
import { listAllPayments } from '@/lib/dashboard/lists/payments';
import { readListQuery } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { listStoreNames } from '@/lib/merchants/stores/names';

const PATH = '/operator/all-payments';

export const generateMetadata = titled('navAllPayments');

export default async function AllPaymentsPage({ searchParams }: { searchParams: Promise<Parameters> }) {
  const { context } = await requirePage('payments.read', null);
  const [{ t }, given] = await Promise.all([getDashboardWords(), searchParams]);
  const { environment, links } = environmentTabs({ path: PATH, query: given, config: context.config, t });
  const storeId = textOf(given, 'store');
  const { filters, pageRequest, isFiltered } = readListQuery(given, readPaymentFilters);
  const [stores, page] = await Promise.all([
    listStoreNames(context.pool, storeId),
    listAllPayments(context, { storeId, environment }, filters, pageRequest),
  ]);
  return (
    <>
      <PageHead title={t('navAllPayments')} text={t('allPaymentsText')} />
      <TabLinks label={t('navEnvironment')} links={links} />
      <FilteredList
        {...{ t, page }}
        isFiltered={isFiltered || storeId !== null}
        isNone={false}
        head={{
          exportPath: null,
          search: t('allPaymentsSearch'),
          filters: [
            {
              kind: 'choice',
              name: 'store',
              label: t('allPaymentsAnyStore'),
              options: stores.map(({ id, name }) => ({ value: id, label: name })),
            },
            choice('status', t('payAnyStatus'), SESSION_STATUSES, (value) => t(`payStatus_${value}`)),
            { kind: 'choice', name: 'network', label: t('payAnyNetwork'), options: networkChoices(t, context.config) },
            ...days(t),
          ],
        }}
        nothingFound={t('payNothingFound')}
        none={
          <Empty icon="payments" title={t(`allPaymentsNone_${environment}`)}>
            {environment === 'live' && (
              <ButtonLink href={hrefWith(PATH, given, { environment: 'test' })}>{t('allPaymentsSeeTest')}</ButtonLink>
            )}
          </Empty>
        }
      >
        {(list) => <AllPaymentsTable {...{ t, environment }} {...list} />}
      </FilteredList>
    </>
  );
}
