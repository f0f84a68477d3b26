// Payments that did not count, of all stores: what arrived late, with the wrong token, on the wrong network, or beyond the price.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { Badge, type Tone } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { FilterBar } from '@/components/ui/filter-bar';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { Pager } from '@/components/ui/pager';
import { Table, type Column } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { CaseActions } from '@/components/operator/case-actions';
import { networkIn } from '@/components/operator/names';
import { choiceOf, hrefWith, numberOf, type PageQuery } from '@/components/operator/query';
import { listCases, type PaymentCase } from '@/lib/cases/read';
import { unixSeconds } from '@/lib/clock';
import { shortAmount } from '@/lib/dashboard/operator-amounts';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, type DashboardWords } from '@/lib/i18n/dashboard-words';
import type { CaseState } from '@/prisma/generated/enums';

const PATH = '/operator/payments';
const PAGE = 50;
const STATES = ['open', 'left', 'refund', 'accepted', 'kept'] as const satisfies readonly CaseState[];

export async function generateMetadata() {
  const { t } = await getDashboardWords();
  return { title: t('operatorPaymentsTitle') };
}

export default async function PaymentsPage({ searchParams }: { searchParams: PageQuery }) {
  const { actor, context } = await requirePage('payments.read', null);
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const state = choiceOf(query, 'state', STATES) ?? 'open';
  const environment = choiceOf(query, 'environment', ['live', 'test']);
  const before = numberOf(query, 'before');
  const found = await listCases(context, {
    by: { kind: 'operator', userId: actor.userId },
    state,
    limit: PAGE + 1,
    ...(environment === null ? {} : { environment }),
    ...(before === null ? {} : { before }),
  });
  const cases = found.slice(0, PAGE);
  const links = STATES.map((one) => ({
    href: hrefWith(PATH, query, { state: one === 'open' ? null : one }),
    label: t(`operatorCase_${one}`),
    isCurrent: one === state,
  }));
  return (
    <>
      <PageHead title={t('operatorPaymentsTitle')} text={t('operatorPaymentsText')} />
      <TabLinks label={t('operatorByState')} links={links} />
      <div className="mb-3">
        <FilterBar
          filters={[
            {
              kind: 'choice',
              name: 'environment',
              label: t('navEnvironment'),
              options: [
                { value: 'live', label: t('navLive') },
                { value: 'test', label: t('navTest') },
              ],
            },
          ]}
        />
      </div>
      <Card isFlush>
        <Table
          isBare
          label={t('operatorPaymentsTitle')}
          columns={columnsOf(words)}
          rows={cases}
          rowKey={({ id }) => id}
          empty={<Empty icon="payments" title={t('operatorNoCases')} text={t('operatorNoCasesText')} />}
          foot={
            <Pager
              newerHref={before === null ? null : hrefWith(PATH, query, {})}
              olderHref={found.length > PAGE ? hrefWith(PATH, query, { before: cases.at(-1)?.id ?? null }) : null}
              shown={cases.length}
            />
          }
        />
      </Card>
    </>
  );
}

const KIND_TONES: Readonly<Record<string, Tone>> = {
  early: 'warn',
  late: 'warn',
  wrong_token: 'warn',
  wrong_network: 'warn',
  over: 'info',
};

const columnsOf = (words: DashboardWords): readonly Column<PaymentCase>[] => {
  const { t } = words;
  return [
    {
      key: 'amount',
      header: t('operatorAmount'),
      onPhone: 'title',
      cell: ({ amount, decimals, currency, explorerUrl }) => (
        <span className="grid">
          <span className="font-semibold">
            <Money amount={shortAmount(amount, decimals)} currency={currency} />
          </span>
          {explorerUrl && (
            <a href={explorerUrl} target="_blank" rel="noopener noreferrer" className="py-1 text-xs text-accent">
              {t('operatorTransaction')}
            </a>
          )}
        </span>
      ),
    },
    {
      key: 'kind',
      header: t('operatorKind'),
      onPhone: 'side',
      cell: ({ kind }) => <Badge tone={KIND_TONES[kind] ?? 'plain'}>{t(`operatorCaseKind_${kind}`)}</Badge>,
    },
    {
      key: 'store',
      header: t('operatorStore'),
      cell: ({ storeId, storeName }) => (
        <Link href={`/operator/stores/${storeId}`} className="inline-block py-0.5 wrap-anywhere text-ink no-underline">
          {storeName}
        </Link>
      ),
    },
    {
      key: 'order',
      header: t('operatorOrder'),
      cell: ({ storeId, environment, sessionId, orderId }) => (
        <Link
          href={`/dashboard/${storeId}/${environment}/payments/${sessionId}`}
          className="inline-block py-0.5 wrap-anywhere text-accent"
        >
          {orderId}
        </Link>
      ),
    },
    {
      key: 'network',
      header: t('operatorNetwork'),
      isExtra: true,
      cell: (row) => <span className="whitespace-nowrap">{networkIn(t, row)}</span>,
    },
    {
      key: 'when',
      header: t('operatorArrived'),
      cell: ({ blockTime }) => <DateTime at={unixSeconds(blockTime)} inList />,
    },
    {
      key: 'actions',
      header: t('operatorDecide'),
      isHeaderHidden: true,
      isNumeric: true,
      cell: (row) => <CaseActions words={words} row={row} />,
    },
  ];
};
