// All stores, searched and filtered by state. Those that wait for approval are listed with the longest waiting first.

import { Badge } from '@/components/ui/badge';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { FilterBar } from '@/components/ui/filter-bar';
import { Pager } from '@/components/ui/pager';
import { SearchBox } from '@/components/ui/search-box';
import { AboveRow, Table, type Column } from '@/components/ui/table';
import { StoreBadge } from '@/components/operator/names';
import { StoreMenu } from '@/components/operator/store-decisions';
import { choiceOf, hrefWith, textOf, type PageQuery } from '@/components/operator/query';
import { unixSeconds } from '@/lib/platform/clock';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { listStores, type StoreCursor, type StoreRow } from '@/lib/merchants/stores/read';

const PATH = '/operator/stores';
const PAGE = 50;
const STATES = ['pending', 'changed', 'approved', 'suspended', 'rejected'] as const;

export const generateMetadata = titled('navStores');

export default async function StoresPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('stores.decide');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const search = textOf(query, 'q') ?? '';
  const state = choiceOf(query, 'status', STATES);
  const after = cursorIn(textOf(query, 'after'));
  const { stores, next } = await listStores(context.pool, {
    status: state,
    search,
    after,
    limit: PAGE,
  });
  return (
    <>
      <PageHead title={t('navStores')} text={t('operatorStoresText')} />
      <div className="mb-4 flex items-center gap-2">
        <SearchBox label={t('operatorStoresSearch')} />
        <FilterBar
          filters={[
            {
              kind: 'choice',
              name: 'status',
              label: t('payAnyStatus'),
              options: STATES.map((value) => ({
                value,
                label: value === 'changed' ? t('operatorChanged') : t(`navStatus_${value}`),
              })),
            },
          ]}
        />
      </div>
      <Card isFlush>
        <Table
          isBare
          label={t('navStores')}
          columns={columnsOf(words)}
          rows={stores}
          rowKey={({ id }) => id}
          rowHref={({ id }) => `${PATH}/${id}`}
          empty={
            <Empty
              icon="stores"
              {...(search !== ''
                ? { title: t('uiNoMatch'), text: t('operatorNoStoresText') }
                : state === 'pending'
                  ? { title: t('operatorNoStoresWait'), text: t('operatorNoStoresWaitText') }
                  : { title: t('operatorNoStores'), text: t('operatorNoStoresText') })}
            />
          }
          foot={
            <Pager
              newerHref={after ? hrefWith(PATH, query, {}) : null}
              olderHref={next && hrefWith(PATH, query, { after: cursorText(next) })}
              shown={stores.length}
            />
          }
        />
      </Card>
    </>
  );
}

const columnsOf = ({ t }: DashboardWords): readonly Column<StoreRow>[] => [
  { key: 'name', header: t('operatorStore'), onPhone: 'title', cell: ({ name }) => <OneLine text={name} /> },
  {
    key: 'status',
    header: t('operatorState'),
    onPhone: 'side',
    cell: ({ status, identityChangedAt }) => (
      <span className="inline-flex flex-wrap gap-1.5">
        {/* A phone's row has space for one badge. */}
        <span className={identityChangedAt ? 'max-md:hidden' : ''}>
          <StoreBadge {...{ t, status }} />
        </span>
        {identityChangedAt && <Badge tone="warn">{t('operatorChanged')}</Badge>}
      </span>
    ),
  },
  {
    key: 'owner',
    header: t('operatorOwner'),
    onPhone: 'under',
    cell: ({ ownerEmail }) => <OneLine text={ownerEmail} />,
  },
  {
    key: 'website',
    header: t('operatorWebsite'),
    isExtra: true,
    onPhone: 'hidden',
    // As text only: the store's page has the link.
    cell: ({ website }) => website && <OneLine text={website.replace(/^https?:\/\//, '').replace(/\/$/, '')} />,
  },
  {
    key: 'created',
    header: t('operatorCreated'),
    isNumeric: true,
    onPhone: 'end',
    cell: ({ createdAt }) => <DateTime at={unixSeconds(createdAt)} inList />,
  },
  {
    key: 'actions',
    header: t('operatorDecide'),
    isHeaderHidden: true,
    isNumeric: true,
    onPhone: 'menu',
    cell: (store) => (
      <AboveRow>
        <StoreMenu words={{ t }} store={store} />
      </AboveRow>
    ),
  },
];

const OneLine = ({ text }: { text: string }) => (
  <bdi title={text} className="block w-fit max-w-full truncate md:max-w-52">
    {text}
  </bdi>
);

const cursorText = ({ createdAt, id }: StoreCursor): string => `${createdAt.getTime()}_${id}`;

function cursorIn(text: string | null): StoreCursor | null {
  const [, at, id] = /^(\d{1,14})_([0-9A-Za-z_]{1,64})$/.exec(text ?? '') ?? [];
  return at === undefined || id === undefined ? null : { createdAt: new Date(Number(at)), id };
}
