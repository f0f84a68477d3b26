// The lists of payments and refunds, for their own pages and the overviews.

import { Link } from '@/components/ui/link';
import { MethodMark } from '@/components/ui/marks';
import { Money } from '@/components/ui/money';
import { DateTime } from '@/components/ui/date-time';
import { OneLine, Table, type Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { PaymentRow, StorePayment } from '@/lib/dashboard/lists/payments';
import type { RefundRow } from '@/lib/dashboard/lists/refunds';
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

function Method({ currency, network }: { currency: string; network: string }) {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <MethodMark {...{ currency, network }} />
      <span>
        {currency} · <Network name={network} />
      </span>
    </span>
  );
}

const orderColumn = (t: Props<PaymentRow>['t']): Column<PaymentRow> => ({
  key: 'order',
  header: t('payOrder'),
  onPhone: 'title',
  cell: (row) => <OneLine text={row.linkTitle ?? row.orderId} whole={row.orderId} />,
});

const paymentColumns = (t: Props<PaymentRow>['t']): readonly Column<PaymentRow>[] => [
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
    onPhone: 'under',
    cell: (row) => <PaymentStatus {...row} />,
  },
  {
    key: 'paid',
    header: t('payPaidWith'),
    isExtra: true,
    onPhone: 'hidden',
    cell: (row) => row.paid && <Method {...row.paid} />,
  },
  {
    key: 'refunded',
    header: t('payRefunded'),
    isNumeric: true,
    isExtra: true,
    onPhone: 'hidden',
    cell: (row) => row.refunded !== null && row.paid && <Money amount={row.refunded} currency={row.paid.currency} />,
  },
  {
    key: 'created',
    header: t('payCreated'),
    isNumeric: true,
    onPhone: 'end',
    cell: (row) => <DateTime at={unixSeconds(row.createdAt)} inList />,
  },
];

export const PaymentTable = ({ t, base, ...others }: Props<PaymentRow>) => (
  <Table
    label={t('navPayments')}
    columns={[orderColumn(t), ...paymentColumns(t)]}
    rowKey={(row) => row.id}
    rowHref={(row) => `${base}/payments/${row.id}`}
    {...others}
  />
);

/** The same for several stores. To save width, the status also shows whether something was refunded. */
export function AllPaymentsTable({
  t,
  environment,
  ...others
}: Omit<Props<StorePayment>, 'base'> & { readonly environment: 'live' | 'test' }) {
  const store: Column<StorePayment> = {
    key: 'store',
    header: t('operatorStore'),
    onPhone: 'wide',
    cell: (row) => (
      <Link
        href={`/operator/stores/${row.storeId}`}
        className="relative py-0.5 wrap-anywhere text-ink no-underline max-md:text-[0.8125rem] max-md:text-muted"
      >
        {row.storeName}
      </Link>
    ),
  };
  return (
    <Table
      label={t('navAllPayments')}
      columns={[orderColumn(t), store, ...paymentColumns(t).filter(({ key }) => key !== 'refunded')]}
      rowKey={(row) => row.id}
      rowHref={(row) => `/dashboard/${row.storeId}/${environment}/payments/${row.id}`}
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
      cell: (row) => <OneLine text={row.refundId} />,
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
      onPhone: 'under',
      cell: (row) => <RefundState status={row.status} isHeld={row.hold !== null} />,
    },
    {
      key: 'order',
      header: t('payOrder'),
      isExtra: true,
      onPhone: 'hidden',
      cell: (row) => <OneLine text={row.linkTitle ?? row.orderId} whole={row.orderId} />,
    },
    {
      key: 'network',
      header: t('payNetwork'),
      isExtra: true,
      onPhone: 'hidden',
      cell: (row) => <Method currency={row.currency} network={row.network} />,
    },
    {
      key: 'created',
      header: t('payCreated'),
      isNumeric: true,
      onPhone: 'end',
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
