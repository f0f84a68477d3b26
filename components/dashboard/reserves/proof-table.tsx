// A proof of reserves as a store sees it: for each token what is owed to the store, to all stores, and what the chains hold.

import { Network } from '@/components/dashboard/payments/status';
import { Badge } from '@/components/ui/badge';
import { Empty } from '@/components/ui/card';
import { Money } from '@/components/ui/money';
import { Table, type Column } from '@/components/ui/table';
import type { ProofRow } from '@/lib/dashboard/statements/reserves';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

export function ProofTable({ words, rows }: { words: DashboardWords; rows: readonly ProofRow[] }) {
  const { t } = words;
  return (
    <Table
      isBare
      label={t('reserves')}
      columns={columnsOf(words)}
      rows={rows}
      rowKey={({ network, currency }) => `${network} ${currency}`}
      empty={<Empty icon="balances" title={t('reservesNone')} text={t('reservesNoneText')} />}
    />
  );
}

const columnsOf = ({ t, format }: DashboardWords): readonly Column<ProofRow>[] => [
  {
    key: 'asset',
    header: t('balAsset'),
    onPhone: 'title',
    cell: ({ network, currency }) => (
      <span className="font-semibold">
        {currency} · <Network name={network} />
      </span>
    ),
  },
  {
    key: 'cover',
    header: t('reservesCover'),
    onPhone: 'side',
    cell: ({ unread, missing, currency }) =>
      unread !== null ? (
        <Badge tone="warn">{t('reservesUnread')}</Badge>
      ) : missing === null ? (
        <Badge tone="good">{t('reservesCovered')}</Badge>
      ) : (
        <Badge tone="bad">{t('reservesMissing', { amount: `${missing} ${currency}` })}</Badge>
      ),
  },
  {
    key: 'own',
    header: t('reservesOwn'),
    isNumeric: true,
    cell: ({ own, currency }) => <Money amount={own} currency={currency} isMuted={own === '0.00'} />,
  },
  {
    key: 'owed',
    header: t('reservesOwedAll'),
    isNumeric: true,
    cell: ({ owed, currency }) => <Money amount={owed} currency={currency} />,
  },
  {
    key: 'held',
    header: t('reservesHeld'),
    isNumeric: true,
    cell: ({ held, block, unread, currency }) =>
      held === null ? (
        <span className="text-muted">{unread && t(`reservesUnread_${unread}`)}</span>
      ) : (
        <span className="inline-grid justify-items-end">
          <Money amount={held} currency={currency} />
          <span className="text-[0.8125rem] text-muted">
            {t('reservesAtBlock', { number: format.number(block ?? 0) })}
          </span>
        </span>
      ),
  },
];
