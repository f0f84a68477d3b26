// All stores by their state; those that wait for a decision first, the longest waiting on top.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Pager } from '@/components/ui/pager';
import { SearchBox } from '@/components/ui/search-box';
import { Table, type Column } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { StoreBadge } from '@/components/operator/names';
import { choiceOf, hrefWith, textOf, type PageQuery } from '@/components/operator/query';
import { unixSeconds } from '@/lib/platform/clock';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { listStores, type StoreCursor, type StoreRow } from '@/lib/merchants/stores/read';

const PATH = '/operator/stores';
const PAGE = 50;
const STATES = ['pending', 'changed', 'approved', 'suspended', 'rejected', 'all'] as const;

export async function generateMetadata() {
  const { t } = await getDashboardWords();
  return { title: t('navStores') };
}

export default async function StoresPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('stores.decide');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const search = textOf(query, 'q') ?? '';
  const state = choiceOf(query, 'status', STATES) ?? (search === '' ? 'pending' : 'all');
  const after = cursorIn(textOf(query, 'after'));
  const { stores, next } = await listStores(context.pool, {
    status: state === 'all' ? null : state,
    search,
    after,
    limit: PAGE,
  });
  const labelOf = (one: (typeof STATES)[number]): string => {
    if (one === 'all') return t('operatorAll');
    return one === 'changed' ? t('operatorChanged') : t(`navStatus_${one}`);
  };
  const links = STATES.map((one) => ({
    href: hrefWith(PATH, search === '' ? {} : { q: search }, {
      status: one === 'pending' && search === '' ? null : one,
    }),
    label: labelOf(one),
    isCurrent: one === state,
  }));
  return (
    <>
      <PageHead title={t('navStores')} text={t('operatorStoresText')} />
      <div className="mb-4 flex">
        <SearchBox label={t('operatorStoresSearch')} />
      </div>
      <TabLinks label={t('operatorByState')} links={links} />
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
  { key: 'name', header: t('operatorStore'), onPhone: 'title', cell: ({ name }) => name },
  {
    key: 'status',
    header: t('operatorState'),
    onPhone: 'side',
    cell: ({ status }) => <StoreBadge {...{ t, status }} />,
  },
  {
    key: 'owner',
    header: t('operatorOwner'),
    cell: ({ ownerEmail }) => <span className="break-all">{ownerEmail}</span>,
  },
  { key: 'channel', header: t('storeChannel'), cell: ({ channelType }) => t(`storeChannel_${channelType}`) },
  { key: 'website', header: t('operatorWebsite'), isExtra: true, cell: ({ website }) => <Website url={website} /> },
  {
    key: 'created',
    header: t('operatorCreated'),
    isNumeric: true,
    cell: ({ createdAt }) => <DateTime at={unixSeconds(createdAt)} inList />,
  },
];

/** As text only: where it leads is looked at on the store's page. */
const Website = ({ url }: { url: string | null }) => (
  <span className="break-all text-muted">
    {url === null ? '—' : url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
  </span>
);

const cursorText = ({ createdAt, id }: StoreCursor): string => `${createdAt.getTime()}_${id}`;

function cursorIn(text: string | null): StoreCursor | null {
  const [, at, id] = /^(\d{1,14})_([0-9A-Za-z_]{1,64})$/.exec(text ?? '') ?? [];
  return at === undefined || id === undefined ? null : { createdAt: new Date(Number(at)), id };
}
