// The payment links of a store: the price of each, how often it was paid, and its actions.

import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { Money } from '@/components/ui/money';
import { Table, type Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import { MAX_COUNTED, type PaymentLinkRow } from '@/lib/dashboard/lists/links';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { LinkActions } from './link-actions';

type Props = {
  readonly words: DashboardWords;
  /** The path of the store's requests. */
  readonly api: string;
  readonly canChange: boolean;
  readonly rows: readonly PaymentLinkRow[];
  readonly empty: ReactNode;
  readonly foot: ReactNode;
};

export function LinkTable({ words, api, canChange, ...others }: Props) {
  const { t } = words;
  const columns: readonly Column<PaymentLinkRow>[] = [
    {
      key: 'title',
      header: t('lnkTitle'),
      onPhone: 'title',
      cell: (row) => <bdi className="font-semibold wrap-anywhere md:inline-block md:min-w-32">{row.title}</bdi>,
    },
    {
      key: 'price',
      header: t('lnkPrice'),
      isNumeric: true,
      onPhone: 'side',
      cell: (row) => <Price row={row} words={words} />,
    },
    { key: 'state', header: t('payStatus'), cell: (row) => <State row={row} t={t} /> },
    { key: 'paid', header: t('lnkPaid'), isNumeric: true, cell: (row) => paidText(row, words) },
    {
      key: 'created',
      header: t('payCreated'),
      isNumeric: true,
      isExtra: true,
      cell: (row) => <DateTime at={unixSeconds(row.createdAt)} inList />,
    },
    {
      key: 'actions',
      header: t('lnkActions'),
      isHeaderHidden: true,
      isNumeric: true,
      cell: ({ id, title, url, isActive }) => (
        <LinkActions api={api} canChange={canChange} link={{ id, title, url, isActive }} />
      ),
    },
  ];
  return <Table label={t('navLinks')} columns={columns} rowKey={(row) => row.id} {...others} />;
}

function Price({ row, words: { t, format } }: { row: PaymentLinkRow; words: DashboardWords }) {
  const { amount, leastAmount: least, mostAmount: most, currency } = row;
  if (amount !== null) return <Money amount={amount} currency={currency} />;
  const money = (text: string) => format.money(text, currency);
  if (least !== null && most !== null)
    return <>{t('lnkBetween', { least: format.amount(least), most: money(most) })}</>;
  if (least !== null) return <>{t('lnkFrom', { amount: money(least) })}</>;
  if (most !== null) return <>{t('lnkUpTo', { amount: money(most) })}</>;
  return <>{t('lnkAnyAmount', { currency })}</>;
}

function State({ row, t }: { row: PaymentLinkRow; t: DashboardWords['t'] }) {
  if (!row.isActive) return <Badge>{t('lnkOff')}</Badge>;
  if (row.mostPaid !== null && row.paid >= row.mostPaid) return <Badge tone="info">{t('lnkUsed')}</Badge>;
  return <Badge tone="good">{t('lnkOn')}</Badge>;
}

function paidText({ paid, mostPaid }: PaymentLinkRow, { t, format }: DashboardWords): string {
  const count = paid < MAX_COUNTED ? format.number(paid) : `${format.number(paid)}+`;
  return mostPaid === null ? count : t('lnkPaidOf', { count, most: format.number(mostPaid) });
}
