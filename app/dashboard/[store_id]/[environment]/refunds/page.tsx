// The refunds of a store: searched, filtered and paged through the page's address.

import { ListHead } from '@/components/dashboard/payments/list-head';
import { RefundTable } from '@/components/dashboard/payments/lists';
import { Turns } from '@/components/dashboard/payments/turns';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { networkChoices } from '@/lib/dashboard/lists/choices';
import { readRefundFilters, readTurn, REFUND_STATUSES, type Parameters } from '@/lib/dashboard/lists/filters';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { listStoreRefunds } from '@/lib/dashboard/lists/refunds';
import { lenient, requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navRefunds');

type Props = {
  readonly params: Promise<{ store_id: string; environment: string }>;
  readonly searchParams: Promise<Parameters>;
};

export default async function RefundsPage({ params, searchParams }: Props) {
  const { context, of, base, api, can } = await requireStorePage(params, 'refunds.read');
  const { t } = await getDashboardWords();
  const given = await searchParams;
  const filters = lenient(() => readRefundFilters(given), {});
  const page = await listStoreRefunds(
    context,
    of,
    filters,
    lenient(() => readTurn(given), FIRST_PAGE),
  );
  const isFiltered = Object.keys(filters).length > 0;
  const isNone = page.rows.length === 0 && page.newer === null;
  return (
    <>
      <PageHead title={t('navRefunds')} />
      {(!isNone || isFiltered) && (
        <ListHead
          exportPath={can('payments.export') ? `${api}/exports/refunds` : null}
          search={t('refSearch')}
          filters={[
            {
              kind: 'choice',
              name: 'status',
              label: t('payAnyStatus'),
              options: REFUND_STATUSES.map((value) => ({ value, label: t(`refStatus_${value}`) })),
            },
            { kind: 'choice', name: 'hold', label: t('refAnyHold'), options: [{ value: 'any', label: t('refHeld') }] },
            { kind: 'choice', name: 'network', label: t('payAnyNetwork'), options: networkChoices(t, context.config) },
            { kind: 'date', name: 'from', label: t('payFrom') },
            { kind: 'date', name: 'to', label: t('payTo') },
          ]}
        />
      )}
      <RefundTable
        t={t}
        base={base}
        rows={page.rows}
        empty={
          isFiltered ? (
            <Empty icon="search" title={t('refNothingFound')} text={t('payNothingFoundText')} />
          ) : (
            <Empty icon="refunds" title={t('refNoneTitle')} text={t('refNoneText')}>
              <ButtonLink href={`${base}/payments?status=completed`} icon="payments">
                {t('refNonePayments')}
              </ButtonLink>
              <ButtonLink href="/docs/refunds" icon="external">
                {t('navDocs')}
              </ButtonLink>
            </Empty>
          )
        }
        foot={<Turns {...page} shown={page.rows.length} />}
      />
    </>
  );
}
