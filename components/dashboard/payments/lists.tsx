// The lists of payments and refunds, as their pages and the pages beside them show them.

import { Money } from '@/components/ui/money';
import { DateTime } from '@/components/ui/date-time';
import { Table, type Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/clock';
import type { PaymentRow } from '@/lib/dashboard/payments';
import type { RefundRow } from '@/lib/dashboard/refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { ReactNode } from 'react';
import { Network, PaymentStatus, RefundState } from './status';

type Props<Row> = {
  readonly t: DashboardWords['t'];
  readonly base: string;
  readonly rows: readonly Row[];
  readonly empty: ReactNode;
  readonly foot?: ReactNode;
  readonly isBare?: boolean;
};

export function PaymentTable({ t, base, ...others }: Props<PaymentRow>) {
  const columns: readonly Column<PaymentRow>[] = [
    {
      key: 'order',
      header: t('payOrder'),
      onPhone: 'title',
      cell: (row) => <span className="wrap-anywhere">{row.orderId}</span>,
    },
    {
      key: 'amount',
      header: t('payAmount'),
      isNumeric: true,
      onPhone: 'side',
      cell: (row) => <Money amount={row.amount} currency={row.currency} />,
    },
    {
      key: 'status',
      header: t('payStatus'),
      cell: (row) => <PaymentStatus status={row.status} exception={row.exception} />,
    },
    {
      key: 'paid',
      header: t('payPaidWith'),
      isExtra: true,
      cell: (row) =>
        row.paid ? (
          <>
            {row.paid.currency} · <Network name={row.paid.network} />
          </>
        ) : (
          <span className="text-muted">–</span>
        ),
    },
    {
      key: 'refunded',
      header: t('payRefunded'),
      isNumeric: true,
      isExtra: true,
      cell: (row) =>
        row.refunded !== null && row.paid ? (
          <Money amount={row.refunded} currency={row.paid.currency} />
        ) : (
          <span className="text-muted">–</span>
        ),
    },
    {
      key: 'created',
      header: t('payCreated'),
      isNumeric: true,
      cell: (row) => <DateTime at={unixSeconds(row.createdAt)} inList />,
    },
  ];
  return (
    <Table
      label={t('navPayments')}
      columns={columns}
      rowKey={(row) => row.id}
      rowHref={(row) => `${base}/payments/${row.id}`}
      {...others}
    />
  );
}

export function RefundTable({ t, base, ...others }: Props<RefundRow>) {
  const columns: readonly Column<RefundRow>[] = [
    {
      key: 'refund',
      header: t('refName'),
      onPhone: 'title',
      cell: (row) => <span className="wrap-anywhere">{row.refundId}</span>,
    },
    {
      key: 'amount',
      header: t('payAmount'),
      isNumeric: true,
      onPhone: 'side',
      cell: (row) => <Money amount={row.amount} currency={row.currency} />,
    },
    {
      key: 'status',
      header: t('payStatus'),
      cell: (row) => <RefundState status={row.status} isHeld={row.hold !== null} />,
    },
    {
      key: 'order',
      header: t('payOrder'),
      isExtra: true,
      cell: (row) => <span className="wrap-anywhere">{row.orderId}</span>,
    },
    { key: 'network', header: t('payNetwork'), isExtra: true, cell: (row) => <Network name={row.network} /> },
    {
      key: 'created',
      header: t('payCreated'),
      isNumeric: true,
      cell: (row) => <DateTime at={unixSeconds(row.createdAt)} inList />,
    },
  ];
  return (
    <Table
      label={t('navRefunds')}
      columns={columns}
      rowKey={(row) => row.id}
      rowHref={(row) => `${base}/refunds/${row.id}`}
      {...others}
    />
  );
}
