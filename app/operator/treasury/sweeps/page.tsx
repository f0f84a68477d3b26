// Sweeps of one environment, newest first, filtered by network and status. A row links to its sweep.

import { choice, FilteredList } from '@/components/dashboard/payments/filtered-list';
import { Empty, PageHead } from '@/components/ui/card';
import { Table } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { environmentTabs } from '@/components/operator/environment-tabs';
import { choiceOf, hrefWith } from '@/components/operator/query';
import { sweepColumns } from '@/components/operator/treasury/sweep-columns';
import { networkChoices } from '@/lib/dashboard/lists/choices';
import type { Parameters } from '@/lib/dashboard/lists/filters';
import { listSweeps, SWEEP_STATES } from '@/lib/dashboard/lists/sweeps';
import { requirePage } from '@/lib/dashboard/page';
import { readListQuery } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/treasury/sweeps';

export const generateMetadata = titled('treasurySweeps');

export default async function SweepsPage({ searchParams }: { searchParams: Promise<Parameters> }) {
  const { context } = await requirePage('health.read');
  const [words, given] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const { environment, links } = environmentTabs({ path: PATH, query: given, config: context.config, t });
  const networks = networkChoices(t, context.config);
  const filters = {
    network: choiceOf(
      given,
      'network',
      networks.map(({ value }) => value),
    ),
    state: choiceOf(given, 'state', SWEEP_STATES),
  };
  const page = await listSweeps(context, environment, filters, readListQuery(given).pageRequest);
  return (
    <>
      <PageHead
        title={t('treasurySweeps')}
        text={t('treasurySweepsText')}
        back={{ href: hrefWith('/operator/treasury', { environment: given.environment }, {}), label: t('navTreasury') }}
      />
      <TabLinks label={t('navEnvironment')} links={links} />
      <FilteredList
        {...{ t, page }}
        isFiltered={filters.network !== null || filters.state !== null}
        head={{
          exportPath: null,
          search: null,
          filters: [
            { kind: 'choice', name: 'network', label: t('payAnyNetwork'), options: networks },
            choice('state', t('payAnyStatus'), SWEEP_STATES, (value) => t(`treasuryState_${value}`)),
          ],
        }}
        nothingFound={t('treasuryNothingFound')}
        none={<Empty icon="balances" title={t('treasurySweepsNone')} text={t('treasurySweepsNoneText')} />}
      >
        {(list) => (
          <Table
            label={t('treasurySweeps')}
            columns={sweepColumns(words)}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `${PATH}/${id}`}
            {...list}
          />
        )}
      </FilteredList>
    </>
  );
}
