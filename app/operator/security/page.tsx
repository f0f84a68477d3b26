// Security events: refusals within a day or a week, and the addresses, accounts, API keys and stores concerned.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { Table, type Column } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { choiceOf, hrefWith, type PageQuery } from '@/components/operator/query';
import {
  accountColumns,
  addressColumns,
  keyColumns,
  kindColumns,
  policyColumns,
  storeColumns,
} from '@/components/operator/security-columns';
import {
  listAccounts,
  listAddresses,
  listKeys,
  listKinds,
  listPolicies,
  listStores,
  PERIODS,
  type Period,
  type SubjectCount,
} from '@/lib/dashboard/operator/security';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { SECURITY_KINDS } from '@/lib/platform/security/kinds';

const PATH = '/operator/security';

export const generateMetadata = titled('navSecurity');

export default async function SecurityPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('audit.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const periods = Object.keys(PERIODS) as Period[];
  const period = choiceOf(query, 'period', periods) ?? 'day';
  const kind = choiceOf(query, 'kind', SECURITY_KINDS);
  const wish = { period, kind };
  const [kinds, addresses, accounts, keys, stores, policies] = await Promise.all([
    listKinds(context),
    listAddresses(context, wish),
    listAccounts(context, wish),
    listKeys(context, wish),
    listStores(context, wish),
    listPolicies(context, wish),
  ]);
  const links = periods.map((one) => ({
    href: hrefWith(PATH, query, { period: one === 'day' ? null : one }),
    label: t(`operatorSecurity_${one}`),
    isCurrent: one === period,
  }));
  return (
    <>
      <PageHead title={t('navSecurity')} text={t('operatorSecurityText')} />
      <div className="grid gap-5">
        <Card isFlush title={t('operatorSecurityKinds')}>
          <Table
            isBare
            label={t('operatorSecurityKinds')}
            columns={kindColumns(words)}
            rows={kinds}
            rowKey={(row) => row.kind}
            rowHref={(row) => `${hrefWith(PATH, query, { kind: row.kind })}#subjects`}
            empty={null}
          />
        </Card>
        <div id="subjects" className="scroll-mt-20">
          <div className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <h2 className="text-base leading-6 font-bold">
              {kind === null ? t('operatorSecurityWho') : t(`operatorSecurityKind_${kind}`)}
            </h2>
            {kind !== null && (
              <Link
                href={`${hrefWith(PATH, query, { kind: null })}#subjects`}
                className="inline-block py-0.5 text-accent"
              >
                {t('operatorSecurityAll')}
              </Link>
            )}
          </div>
          <TabLinks label={t('operatorSecurityPeriod')} links={links} />
          <div className="grid items-start gap-5 xl:grid-cols-2">
            <Subjects t={t} title={t('operatorSecurityAddresses')} rows={addresses} columns={addressColumns(words)} />
            <Subjects t={t} title={t('operatorSecurityAccounts')} rows={accounts} columns={accountColumns(words)} />
            <Subjects t={t} title={t('navKeys')} rows={keys} columns={keyColumns(words)} />
            <Subjects t={t} title={t('navStores')} rows={stores} columns={storeColumns(words)} />
            <Subjects t={t} title={t('operatorSecurityPolicies')} rows={policies} columns={policyColumns(words)} />
          </div>
        </div>
      </div>
    </>
  );
}

type ListProps<Row> = {
  readonly t: DashboardWords['t'];
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
};

function Subjects<Row extends SubjectCount>({ t, title, rows, columns }: ListProps<Row>) {
  const empty = <Empty icon="check" title={t('operatorSecurityNone')} text={t('operatorSecurityNoneText')} />;
  return (
    <Card isFlush title={title}>
      <Table isBare label={title} columns={columns} rows={rows} rowKey={({ subject }) => subject} empty={empty} />
    </Card>
  );
}
