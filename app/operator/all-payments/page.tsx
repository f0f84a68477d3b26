// The payments of all stores: searched, and filtered by store, status, network and day. A row links to its payment.

import { ListHead } from '@/components/dashboard/payments/list-head';
import { AllPaymentsTable } from '@/components/dashboard/payments/lists';
import { Turns } from '@/components/dashboard/payments/turns';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { TabLinks } from '@/components/ui/tabs';
import { choiceOf, hrefWith, textOf } from '@/components/operator/query';
import { networkChoices } from '@/lib/dashboard/lists/choices';
import { readPaymentFilters, readTurn, SESSION_STATUSES, type Parameters } from '@/lib/dashboard/lists/filters';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { requirePage } from '@/lib/dashboard/page';
import { listAllPayments } from '@/lib/dashboard/lists/payments';
import { lenient } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { listStoreNames } from '@/lib/merchants/stores/names';

const PATH = '/operator/all-payments';
const ENVIRONMENTS = ['live', 'test'] as const;

export const generateMetadata = titled('navAllPayments');

export default async function AllPaymentsPage({ searchParams }: { searchParams: Promise<Parameters> }) {
  const { context } = await requirePage('payments.read', null);
  const [{ t }, given] = await Promise.all([getDashboardWords(), searchParams]);
  const usual = context.config.SANDBOX_ORIGIN !== undefined ? 'test' : 'live';
  const environment = choiceOf(given, 'environment', ENVIRONMENTS) ?? usual;
  const storeId = textOf(given, 'store');
  const filters = lenient(() => readPaymentFilters(given), {});
  const isFiltered = storeId !== null || Object.keys(filters).length > 0;
  const [stores, page] = await Promise.all([
    listStoreNames(context.pool, storeId),
    listAllPayments(
      context,
      { storeId, environment },
      filters,
      lenient(() => readTurn(given), FIRST_PAGE),
    ),
  ]);
  const links = ENVIRONMENTS.map((one) => ({
    href: hrefWith(PATH, given, { environment: one === usual ? null : one }),
    label: t(one === 'live' ? 'navLive' : 'navTest'),
    isCurrent: one === environment,
  }));
  return (
    <>
      <PageHead title={t('navAllPayments')} text={t('allPaymentsText')} />
      <TabLinks label={t('navEnvironment')} links={links} />
      <ListHead
        exportPath={null}
        search={t('allPaymentsSearch')}
        filters={[
          {
            kind: 'choice',
            name: 'store',
            label: t('allPaymentsAnyStore'),
            options: stores.map(({ id, name }) => ({ value: id, label: name })),
          },
          {
            kind: 'choice',
            name: 'status',
            label: t('payAnyStatus'),
            options: SESSION_STATUSES.map((value) => ({ value, label: t(`payStatus_${value}`) })),
          },
          { kind: 'choice', name: 'network', label: t('payAnyNetwork'), options: networkChoices(t, context.config) },
          { kind: 'date', name: 'from', label: t('payFrom') },
          { kind: 'date', name: 'to', label: t('payTo') },
        ]}
      />
      <AllPaymentsTable
        t={t}
        environment={environment}
        rows={page.rows}
        empty={
          isFiltered ? (
            <Empty icon="search" title={t('payNothingFound')} text={t('payNothingFoundText')} />
          ) : (
            <Empty icon="payments" title={t(`allPaymentsNone_${environment}`)}>
              {environment === 'live' && (
                <ButtonLink href={hrefWith(PATH, given, { environment: 'test' })}>{t('allPaymentsSeeTest')}</ButtonLink>
              )}
            </Empty>
          )
        }
        foot={<Turns {...page} shown={page.rows.length} />}
      />
    </>
  );
}
