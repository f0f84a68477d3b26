// A store's balance of each token, in total and per network.

import { Network } from '@/components/dashboard/payments/status';
import { Empty } from '@/components/ui/card';
import { Money } from '@/components/ui/money';
import { Table, type Column } from '@/components/ui/table';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { BALANCE_PARTS, PART_NAMES, type BalancePart, type PartAmounts } from './parts';

type Row = { readonly network: string; readonly currency: string; readonly amounts: PartAmounts };

type Total = Omit<Row, 'network'> & { readonly networks: readonly string[] };

const OTHER_PARTS = BALANCE_PARTS.filter((part) => part !== 'available');

export function BalanceTotals({ t, totals }: { t: DashboardWords['t']; totals: readonly Total[] }) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {totals.map((total) => (
        <section
          key={total.currency}
          aria-label={total.currency}
          className="grid gap-3 rounded-xl border border-line bg-surface p-4 shadow-card sm:px-5"
        >
          <p className="grid gap-0.5">
            <span className="text-[0.8125rem] text-muted">
              {t('balPart_available')}
              {total.networks.length === 1 && total.networks.map((name) => <NetworkAfter key={name} name={name} />)}
            </span>
            <span className="text-[1.75rem] leading-9 font-bold tracking-tight">
              <Money amount={total.amounts.available} currency={total.currency} />
            </span>
          </p>
          <dl className="m-0 grid grid-cols-2 gap-3 text-[0.8125rem]">
            {OTHER_PARTS.map((part) => (
              <div key={part}>
                <dt className="text-muted">{t(PART_NAMES[part])}</dt>
                <dd className="font-semibold">
                  <Money
                    amount={total.amounts[part]}
                    currency={total.currency}
                    isMuted={total.amounts[part] === '0.00'}
                  />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

const NetworkAfter = ({ name }: { name: string }) => (
  <>
    {' '}
    · <Network name={name} />
  </>
);

export function BalanceTable({ t, rows }: { t: DashboardWords['t']; rows: readonly Row[] }) {
  return (
    <Table
      cardsBelow="xl"
      label={t('navBalances')}
      rows={rows}
      rowKey={(row) => `${row.network} ${row.currency}`}
      columns={[
        {
          key: 'asset',
          header: t('balAsset'),
          onPhone: 'title',
          cell: (row) => (
            <span className="font-semibold">
              {row.currency} · <Network name={row.network} />
            </span>
          ),
        },
        ...BALANCE_PARTS.map((part) => amount(part, t(PART_NAMES[part]))),
      ]}
      empty={<Empty icon="balances" title={t('balNoneTitle')} text={t('balNoneText')} />}
    />
  );
}

const amount = (key: BalancePart, header: string): Column<Row> => ({
  key,
  header,
  isNumeric: true,
  ...(key === 'available' && { onPhone: 'side' }),
  // Most balances have only an available part, so other zeros would hide the amounts that wait.
  cell: ({ amounts, currency }) =>
    key !== 'available' && amounts[key] === '0.00' ? null : (
      <Money amount={amounts[key]} currency={currency} isMuted={amounts[key] === '0.00'} />
    ),
});
