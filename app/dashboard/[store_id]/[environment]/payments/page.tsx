// The payments of a store: searched, filtered and paged through the page's address.

import { FirstPayment } from '@/components/dashboard/payments/first-payment';
import { ListHead } from '@/components/dashboard/payments/list-head';
import { PaymentTable } from '@/components/dashboard/payments/lists';
import { Turns } from '@/components/dashboard/payments/turns';
import { Empty, PageHead } from '@/components/ui/card';
import { RefreshOnReturn } from '@/components/ui/refresh-on-return';
import {
  EXCEPTIONS,
  readPaymentFilters,
  readTurn,
  REFUND_SHARES,
  SESSION_STATUSES,
  type Parameters,
} from '@/lib/dashboard/lists/filters';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { listPayments } from '@/lib/dashboard/lists/payments';
import { lenient, requireStorePage } from '@/lib/dashboard/store-page';
import { currencyChoices, networkChoices } from '@/lib/dashboard/lists/choices';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navPayments');

type Props = {
  readonly params: Promise<{ store_id: string; environment: string }>;
  readonly searchParams: Promise<Parameters>;
};

export default async function PaymentsPage({ params, searchParams }: Props) {
  const { context, of, base, api, can } = await requireStorePage(params, 'payments.read');
  const { t } = await getDashboardWords();
  const given = await searchParams;
  const filters = lenient(() => readPaymentFilters(given), {});
  const page = await listPayments(
    context,
    of,
    filters,
    lenient(() => readTurn(given), FIRST_PAGE),
  );
  const isFiltered = Object.keys(filters).length > 0;
  const isNone = page.rows.length === 0 && page.newer === null;
  return (
    <>
      <RefreshOnReturn />
      <PageHead title={t('navPayments')} />
      {(!isNone || isFiltered) && (
        <ListHead
          exportPath={can('payments.export') ? `${api}/exports/payments` : null}
          search={t('paySearch')}
          filters={[
            {
              kind: 'choice',
              name: 'status',
              label: t('payAnyStatus'),
              options: SESSION_STATUSES.map((value) => ({ value, label: t(`payStatus_${value}`) })),
            },
            {
              kind: 'choice',
              name: 'exception',
              label: t('payAnyException'),
              options: EXCEPTIONS.map((value) => ({ value, label: t(`payException_${value}`) })),
            },
            {
              kind: 'choice',
              name: 'refund',
              label: t('payAnyRefund'),
              options: REFUND_SHARES.map((value) => ({ value, label: t(`payRefund_${value}`) })),
            },
            { kind: 'choice', name: 'currency', label: t('payAnyCurrency'), options: currencyChoices() },
            { kind: 'choice', name: 'network', label: t('payAnyNetwork'), options: networkChoices(t, context.config) },
            { kind: 'date', name: 'from', label: t('payFrom') },
            { kind: 'date', name: 'to', label: t('payTo') },
          ]}
        />
      )}
      <PaymentTable
        t={t}
        base={base}
        rows={page.rows}
        empty={
          isFiltered ? (
            <Empty icon="search" title={t('payNothingFound')} text={t('payNothingFoundText')} />
          ) : (
            <FirstPayment origin={context.config.PUBLIC_URL} keysHref={can('keys.read') ? `${base}/keys` : null} />
          )
        }
        foot={<Turns {...page} shown={page.rows.length} />}
      />
    </>
  );
}
