// The payments of a store: searched, filtered and paged through the page's address.

import { choice, days, FilteredList } from '@/components/dashboard/payments/filtered-list';
import { FirstPayment } from '@/components/dashboard/payments/first-payment';
import { PaymentTable } from '@/components/dashboard/payments/lists';
import { PageHead } from '@/components/ui/card';
import { RefreshOnReturn } from '@/components/ui/refresh-on-return';
import { EXCEPTIONS, readPaymentFilters, REFUND_SHARES, SESSION_STATUSES } from '@/lib/dashboard/lists/filters';
import { listPayments } from '@/lib/dashboard/lists/payments';
import { readListQuery, requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { currencyChoices, networkChoices } from '@/lib/dashboard/lists/choices';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navPayments');

export default async function PaymentsPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, can } = await requireStorePage(params, 'payments.read');
  const { t } = await getDashboardWords();
  const { filters, pageRequest, isFiltered } = readListQuery(await searchParams, readPaymentFilters);
  const page = await listPayments(context, of, filters, pageRequest);
  return (
    <>
      <RefreshOnReturn />
      <PageHead title={t('navPayments')} />
      <FilteredList
        {...{ t, page, isFiltered }}
        head={{
          exportPath: can('payments.export') ? `${api}/exports/payments` : null,
          search: t('paySearch'),
          filters: [
            choice('status', t('payAnyStatus'), SESSION_STATUSES, (value) => t(`payStatus_${value}`)),
            choice('exception', t('payAnyException'), EXCEPTIONS, (value) => t(`payException_${value}`)),
            choice('refund', t('payAnyRefund'), REFUND_SHARES, (value) => t(`payRefund_${value}`)),
            { kind: 'choice', name: 'currency', label: t('payAnyCurrency'), options: currencyChoices() },
            { kind: 'choice', name: 'network', label: t('payAnyNetwork'), options: networkChoices(t, context.config) },
            ...days(t),
          ],
        }}
        nothingFound={t('payNothingFound')}
        none={<FirstPayment origin={context.config.PUBLIC_URL} keysHref={can('keys.read') ? `${base}/keys` : null} />}
      >
        {(list) => <PaymentTable {...{ t, base }} {...list} />}
      </FilteredList>
    </>
  );
}
