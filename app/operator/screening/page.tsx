// The screening: hits that wait for two operators, frozen money that is missing, and how current the sources are.

import { Card, Empty, Fact, Facts, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Pager } from '@/components/ui/pager';
import { Table } from '@/components/ui/table';
import { pagesOf, textOf, type PageQuery } from '@/components/operator/query';
import { hitColumns } from '@/components/operator/screening/hit-columns';
import { shortColumns } from '@/components/operator/screening/short-columns';
import { listHits, readScreeningState, type ScreeningState } from '@/lib/dashboard/operator/screening/read';
import { listShortfalls } from '@/lib/dashboard/operator/screening/short';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';

const PATH = '/operator/screening';
const PAGE = 25;

export const generateMetadata = titled('navScreening');

export default async function ScreeningPage({ searchParams }: { searchParams: PageQuery }) {
  const { actor, context } = await requirePage('screening.release');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const before = textOf(query, 'after');
  const [state, { rows, next }, short] = await Promise.all([
    readScreeningState(context),
    listHits(context, { before, limit: PAGE }),
    listShortfalls(context),
  ]);
  return (
    <>
      <PageHead title={t('navScreening')} text={t('screeningText')} />
      <div className="grid gap-5">
        <Sources {...{ words, state }} />
        {short.length > 0 && (
          <Card id="short" title={t('screeningShort')} text={t('screeningShortText')} isFlush>
            <Table
              isBare
              label={t('screeningShort')}
              columns={shortColumns(words)}
              rows={short}
              rowKey={({ storeId, environment, network, currency }) =>
                [storeId, environment, network, currency].join(' ')
              }
              empty={null}
            />
          </Card>
        )}
        <Card title={t('screeningHits')} isFlush>
          <Table
            isBare
            label={t('screeningHits')}
            columns={hitColumns(words, actor.userId)}
            rows={rows}
            rowKey={({ id }) => id}
            empty={<Empty icon="shield" title={t('screeningNone')} text={t('screeningNoneText')} />}
            foot={<Pager {...pagesOf({ path: PATH, query, name: 'after', at: before, next })} shown={rows.length} />}
          />
        </Card>
      </div>
    </>
  );
}

function Sources({ words, state }: { words: DashboardWords; state: ScreeningState }) {
  const { t, format } = words;
  if (!state.isOn)
    return (
      <Card title={t('screeningSources')}>
        <p>{t('screeningOff')}</p>
      </Card>
    );
  const { list, waiting } = state;
  return (
    <Card title={t('screeningSources')}>
      <Facts>
        {list && (
          <Fact name={t('screeningList')}>
            {list.asOf ? <DateTime at={unixSeconds(list.asOf)} /> : t('screeningListNone')}
            {list.asOf && list.isStale && <strong> · {t('screeningListOld')}</strong>}
          </Fact>
        )}
        {list && <Fact name={t('screeningListCount')}>{format.number(list.entries)}</Fact>}
        <Fact name={t('screeningWaiting')}>{format.number(waiting)}</Fact>
      </Facts>
    </Card>
  );
}
