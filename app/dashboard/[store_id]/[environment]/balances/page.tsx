// A store's balances by token and network, the downloads of its statements, and the entries per day.

import { BalanceTable, BalanceTotals } from '@/components/dashboard/balances/balance-table';
import { amountsOf, BALANCE_PARTS, type BalancePart } from '@/components/dashboard/balances/parts';
import { StatementDownloads } from '@/components/dashboard/balances/statement-downloads';
import { StatementTable } from '@/components/dashboard/balances/statement-table';
import { days } from '@/components/dashboard/payments/filtered-list';
import { ListHead } from '@/components/dashboard/payments/list-head';
import { ListPager } from '@/components/dashboard/payments/list-pager';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, Note, PageHead } from '@/components/ui/card';
import { networkSpec } from '@/lib/networks/networks';
import { readDates } from '@/lib/dashboard/lists/filters';
import { offeredPeriods } from '@/lib/dashboard/statements/periods';
import { tokenText } from '@/lib/dashboard/payment/payment';
import { listStatement } from '@/lib/dashboard/lists/statement';
import { readListQuery, requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import type { StoreBalance } from '@/lib/ledger/balances';
import { balancesOf } from '@/lib/payouts/hold';

type Asset = { readonly network: string; readonly currency: string };

const largestFirst = (one: bigint, other: bigint): number => (one > other ? -1 : one < other ? 1 : 0);

/** The maximum number of decimals of a token. */
const FINEST = 18;

const isNotEmpty = (balance: StoreBalance): boolean => BALANCE_PARTS.some((part) => balance[part].baseUnits !== 0n);

export const generateMetadata = titled('navBalances');

export default async function BalancesPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, can, store } = await requireStorePage(params, 'balances.read');
  const words = await getDashboardWords();
  const { t } = words;
  const { filters, pageRequest, isFiltered } = readListQuery(await searchParams, readDates);
  const [balances, page, periods] = await Promise.all([
    balancesOf(context, { ...of, hours: store.payoutHoldHours }),
    listStatement(context, of, filters, pageRequest),
    can('payments.export') ? offeredPeriods(context.pool, of, { filters, words }) : [],
  ]);
  const decimalsOf = (one: Asset): number =>
    networkSpec(of.environment, one.network, context.config.TEST_CHAINS)?.tokens[one.currency]?.decimals ?? 6;
  const text = (one: Asset, units: bigint): string => tokenText(units, decimalsOf(one));
  // Networks count a token in different units.
  const finest = (one: Asset, units: bigint): bigint => units * 10n ** BigInt(FINEST - decimalsOf(one));
  const sum = (currency: string, part: BalancePart): bigint =>
    balances
      .filter((one) => one.currency === currency)
      .reduce((all, one) => all + finest(one, one[part].baseUnits), 0n);
  const total = (currency: string, part: BalancePart): string => tokenText(sum(currency, part), FINEST);
  const currencies = [...new Set(balances.map(({ currency }) => currency))].toSorted((one, other) =>
    largestFirst(sum(one, 'available'), sum(other, 'available')),
  );
  const shown = balances
    .filter(isNotEmpty)
    .toSorted((one, other) =>
      largestFirst(finest(one, one.available.baseUnits), finest(other, other.available.baseUnits)),
    );
  // For a token on one network, the total is enough.
  const isSplit = shown.length === 0 || shown.length > new Set(shown.map(({ currency }) => currency)).size;
  const isNone = page.rows.length === 0 && page.newer === null;
  return (
    <>
      <PageHead
        title={t('navBalances')}
        text={t('balText')}
        actions={
          <ButtonLink href={`${base}/balances/reserves`} icon="shield">
            {t('reserves')}
          </ButtonLink>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {currencies.length > 0 && (
          <BalanceTotals
            t={t}
            totals={currencies.map((currency) => ({
              currency,
              amounts: amountsOf((part) => total(currency, part)),
              networks: shown.filter((one) => one.currency === currency).map(({ network }) => network),
            }))}
          />
        )}
        {isSplit && (
          <BalanceTable
            t={t}
            rows={shown.map((one) => ({
              network: one.network,
              currency: one.currency,
              amounts: amountsOf((part) => text(one, one[part].baseUnits)),
            }))}
          />
        )}
        {balances.some(({ pending }) => pending.baseUnits !== 0n) && (
          <Note tone="info" title={t('balPart_pending')}>
            {store.payoutHoldHours > 0 && t('pouHold', { hours: t('pouHours', { count: store.payoutHoldHours }) })}{' '}
            {balances.some(({ unchecked }) => unchecked.baseUnits !== 0n) && t('balCheckText')}
          </Note>
        )}
        {balances.some(({ kept }) => kept.baseUnits !== 0n) && (
          <Note tone="info" title={t('balPart_kept')}>
            {t('balKeptText')}
          </Note>
        )}
        {balances.some(({ quarantined }) => quarantined.baseUnits !== 0n) && (
          <Note tone="info" title={t('balPart_quarantined')}>
            {t('balReviewText')}
          </Note>
        )}
        {periods.length > 0 && (
          <Card
            title={t('stmTitle')}
            text={t('stmText')}
            actions={
              <ButtonLink href="/docs/statements" icon="external" size="small" kind="quiet">
                {t('stmHelp')}
              </ButtonLink>
            }
          >
            <StatementDownloads path={api} periods={periods} />
          </Card>
        )}
        {(!isNone || isFiltered) && (
          <Card title={t('balStatement')} text={t('balStatementText')} isFlush>
            <div className="px-4 sm:px-5">
              <ListHead
                exportPath={can('payments.export') ? `${api}/exports/statement` : null}
                search={null}
                filters={days(t)}
              />
            </div>
            <StatementTable
              words={words}
              base={base}
              rows={page.rows}
              empty={<Empty icon="search" title={t('balNothing')} text={t('payNothingFoundText')} />}
              foot={<ListPager older={page.older} newer={page.newer} shown={page.rows.length} />}
            />
          </Card>
        )}
        <Note tone="info" title={t('moneyTitle')}>
          {context.config.DIRECT_SETTLEMENT ? t('dirMoney') : `${t('moneyHolder')} ${t('moneyText')}`}
        </Note>
      </div>
    </>
  );
}
